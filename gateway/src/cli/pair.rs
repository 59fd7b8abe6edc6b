//! `postern pair`: makes a one-time code.

use std::fmt::Write;

use bot_policy::id::Timestamp;
use bot_policy::pairing::CodeRole;

use super::qr::{self, Room};
use super::screen::{Paint, Screen, Stop, outside, span};
use super::{ask_running, now, unexpected};
use crate::socket::{Answer, NewCode, Request};

/// The longest name of a guest, in characters.
const NAME_LIMIT: usize = 40;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Let in a guest under this name, who has a memory and the web and nothing of yours; without
    /// it the code is for another account of your own
    #[arg(long, value_name = "NAME", value_parser = guest_name)]
    guest: Option<String>,
    /// Draw no code for a phone to read
    #[arg(long)]
    no_qr: bool,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    let role = match arguments.guest {
        Some(name) => CodeRole::Guest { name },
        None => CodeRole::Owner,
    };
    match ask_running(&Request::NewCode { role: role.clone() }).await? {
        Answer::NewCode(code) => {
            screen.show(&render(&code, &role, now(), screen.paint()));
            let room = if arguments.no_qr {
                Room::None
            } else {
                Room::of(*screen)
            };
            screen.show(&qr::code(&code.links, room));
            Ok(())
        }
        Answer::Code { .. }
        | Answer::Doctor { .. }
        | Answer::NewToken(_)
        | Answer::Opened(_)
        | Answer::Refused { .. }
        | Answer::Revoked
        | Answer::Sent { .. }
        | Answer::Status(_)
        | Answer::Tokens { .. }
        | Answer::Unpaired(_) => Err(unexpected()),
    }
}

fn render(new: &NewCode, role: &CodeRole, now: Timestamp, paint: Paint) -> String {
    let whom = match role {
        CodeRole::Guest { name } => format!("{name} becomes your guest"),
        CodeRole::Owner => "whoever sends it becomes you, the owner".to_owned(),
    };
    let mut text = format!(
        "Code {} for {}, once: {whom}.\n",
        paint.strong(&new.code),
        // A code that was made this moment has its whole time.
        span(now, new.ends_at.plus_seconds(1)),
    );
    let _ = writeln!(text, "Send /pair {} in a direct chat, or open:", new.code);
    for link in &new.links {
        let _ = writeln!(text, "  {}", outside(link));
    }
    for line in &new.without_link {
        let _ = writeln!(
            text,
            "  {} ({}) has no link now: {}",
            outside(&line.line),
            outside(&line.platform),
            outside(&line.detail)
        );
    }
    text
}

fn guest_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let fits = |c: char| c.is_alphanumeric() || " .'-_".contains(c);
    if name.is_empty() || name.chars().count() > NAME_LIMIT || !name.chars().all(fits) {
        return Err(format!(
            "use 1 to {NAME_LIMIT} letters, digits, blanks and . ' - _"
        ));
    }
    Ok(name.to_owned())
}
