//! `postern rules explain` and `test`: what would become of a call in the owner's own chat?

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use bot_policy::access::{Person, Role, Scope};
use bot_policy::call::ARGUMENT_BYTES;
use bot_policy::decide::{CanAsk, Limits, Mode, Standing, Surface};
use bot_policy::effective;
use bot_policy::grants::Grants;
use bot_policy::id::{BotName, ChatId, LineId, PersonId, Place};
use bot_policy::risk::Risk;
use bot_policy::rules::{self, Outcome};
use bot_policy::shell::FolderTrust;
use bot_policy::taint::Taint;

use super::super::screen::{Screen, Stop, counted, outside};
use super::word;
use crate::agent::tools::specs;
use crate::config::Judging;
use crate::doctor::Verdict;
use crate::rulebook::{Rulebook, RulebookError};
use adapters::quoted;

pub(super) fn explain(
    screen: &Screen,
    book: (&Rulebook, &Judging),
    call: &str,
) -> Result<(), Stop> {
    let standing = standing(book)?;
    let Some(lines) = explained(call, &standing) else {
        return Err(Stop::Because(
            "a call begins with its tool; write it in quotes: postern rules explain '@files read --file a.txt'".to_owned(),
        ));
    };
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = if at == 0 { "" } else { "  " };
        let _ = writeln!(text, "{indent}{}", outside(line));
    }
    screen.show(&text);
    Ok(())
}

pub(super) fn test(screen: &Screen, book: (&Rulebook, &Judging), file: &Path) -> Result<(), Stop> {
    let name = file.display();
    let text = read(file)?;
    let cases = rules::cases(&text).map_err(|why| {
        Stop::Because(format!(
            "{name}: {why}; correct it there; a file of cases is {SHAPE}"
        ))
    })?;
    if cases.is_empty() {
        return Err(Stop::Because(format!(
            "{name} holds no case, so it proves nothing; a file of cases is {SHAPE}"
        )));
    }
    let standing = standing(book)?;
    let outcomes = rules::run(&cases, &standing);
    let mut text = String::new();
    for outcome in &outcomes {
        text.push_str(&told(outcome, &standing, screen));
    }
    let all = i64::try_from(outcomes.len()).unwrap_or(i64::MAX);
    let failed = outcomes.iter().filter(|outcome| !outcome.is_met()).count();
    let _ = match failed {
        0 => writeln!(text, "{}, as expected.", counted(all, "case")),
        failed => writeln!(
            text,
            "{failed} of {} not as expected.",
            counted(all, "case")
        ),
    };
    screen.show(&text);
    match failed {
        0 => Ok(()),
        _ => Err(Stop::Shown),
    }
}

/// The text of a file of cases. Neither a pipe nor a device is waited for.
fn read(file: &Path) -> Result<String, Stop> {
    let name = file.display();
    let odd = |what: &str| {
        Stop::Because(format!(
            "{name} {what}; give a file of cases such as {SHAPE}"
        ))
    };
    let unreadable = |why: std::io::Error| match why.kind() {
        ErrorKind::NotFound => odd("is not there"),
        _ => Stop::Because(format!(
            "{name} cannot be read ({why}); look at it with: ls -l {}",
            quoted(file)
        )),
    };
    let about = std::fs::metadata(file).map_err(unreadable)?;
    if about.is_dir() {
        return Err(odd("is a folder"));
    }
    if !about.is_file() {
        return Err(odd("is no ordinary file"));
    }
    if about.len() > ARGUMENT_BYTES as u64 {
        return Err(odd(&format!("is longer than {ARGUMENT_BYTES} bytes")));
    }
    let bytes = std::fs::read(file).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| odd("is no text in UTF-8"))
}

fn told(outcome: &Outcome, standing: &Standing, screen: &Screen) -> String {
    let call = outside(&outcome.case.call);
    let expected = word(outcome.case.expect);
    let verdict = |verdict| screen.paint().verdict(verdict);
    let Some(got) = outcome.got else {
        return format!(
            "{}  {call}: names no tool, so it cannot {expected}\n",
            verdict(Verdict::Fail)
        );
    };
    if outcome.is_met() {
        return format!("{}  {call}: {expected}\n", verdict(Verdict::Ok));
    }
    let mut text = format!(
        "{}  {call}: {}, not {expected}\n",
        verdict(Verdict::Fail),
        word(got)
    );
    for line in explained(&outcome.case.call, standing)
        .iter()
        .flatten()
        .skip(1)
    {
        let _ = writeln!(text, "        {}", outside(line));
    }
    text
}

fn explained(call: &str, standing: &Standing) -> Option<Vec<String>> {
    effective::typed(call, &standing.tools).map(|call| rules::explain(&call, standing))
}

/// Where the owner stands in a fresh chat of their own: nothing read, nothing used up.
fn standing((book, judging): (&Rulebook, &Judging)) -> Result<Standing, RulebookError> {
    let tools = Arc::new(specs());
    Ok(Standing {
        person: Person {
            id: PersonId(0),
            role: Role::Owner,
            name: String::new(),
        },
        bot: BotName::new(""),
        place: Place {
            line: LineId::new(""),
            chat: ChatId::new(""),
            thread: None,
        },
        scope: Scope::Owner,
        surface: Surface::Chat,
        taint: Taint::default(),
        mode: Mode::Interactive,
        rules: book.in_force()?,
        grants: Arc::new(Grants::shipped(Scope::Owner, &tools)),
        tools,
        known: Arc::default(),
        approvals: Vec::new(),
        limits: Limits {
            calls_left: u32::MAX,
            refusals_in_a_row: 0,
            emails_left: u32::MAX,
        },
        threshold: judging.threshold,
        second: Risk::Low,
        can_ask: CanAsk::Yes,
        denylist: judging.denylist.clone(),
        folder: FolderTrust::Untrusted,
        dangerous: judging.dangerous,
        ground: BTreeMap::new(),
    })
}

const SHAPE: &str = r#"{"cases": [{"call": "@files read --file a.txt", "expect": "allow"}]}"#;
