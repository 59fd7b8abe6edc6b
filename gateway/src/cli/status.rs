//! `postern status`: how the running gateway stands, and whether its page answers.

use std::fmt::Write;

use bot_policy::access::Role;
use bot_policy::id::Timestamp;

use super::screen::{Paint, Screen, Stop, counted, outside, span};
use super::{ask_running, now, unexpected};
use crate::doctor::{self, Check, Verdict};
use crate::socket::{Answer, LineState, Request, Status};

pub(super) async fn run(screen: &Screen) -> Result<(), Stop> {
    let Answer::Status(status) = ask_running(&Request::Status).await? else {
        return Err(unexpected());
    };
    let page = doctor::page(&status.web).await;
    screen.show(&render(&status, &page, now(), screen.paint()));
    match page.verdict {
        Verdict::Ok | Verdict::Warn => Ok(()),
        Verdict::Fail => Err(Stop::Shown),
    }
}

fn render(status: &Status, page: &Check, now: Timestamp, paint: Paint) -> String {
    let mut text = format!(
        "{} Version {}, for {}.\n",
        paint.strong("Postern is running."),
        outside(&status.version),
        span(status.since, now)
    );
    let mut row = |what: &str, how: String| {
        let _ = writeln!(text, "  {what:<9} {how}");
    };
    row("web chat", outside(&page.say).to_string());
    for line in &status.lines {
        let state = match line.state {
            LineState::Listening => "listening",
            LineState::Retrying => "trying again",
            LineState::Stopped => "stopped",
        };
        let (name, platform, detail) = (
            outside(&line.line),
            outside(&line.platform),
            outside(&line.detail),
        );
        row("line", format!("{name} ({platform}): {state}, {detail}"));
    }
    row("model", outside(&status.model).to_string());
    for person in &status.people {
        let role = match person.role {
            Role::Guest => "guest",
            Role::Owner => "owner",
        };
        let places = if person.places.is_empty() {
            "no place".to_owned()
        } else {
            let places: Vec<String> = person
                .places
                .iter()
                .map(|at| outside(at).to_string())
                .collect();
            places.join(", ")
        };
        row(role, format!("{} at {places}", outside(&person.name)));
    }
    if status.people.is_empty() {
        row("owner", "nobody yet; postern pair makes a code".to_owned());
    }
    for seen in &status.code {
        let (name, folder) = (outside(&seen.name), outside(&seen.folder));
        row(
            "code",
            format!("{name} in {folder}{}", super::code::state(seen)),
        );
    }
    row(
        "waiting",
        format!(
            "{}, {}",
            counted(status.open_questions, "open card"),
            counted(status.live_codes, "live code")
        ),
    );
    for note in &status.notes {
        row("note", outside(note).to_string());
    }
    text
}
