//! `postern events`: what was decided about which call, and why.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

use super::existing_data;
use super::screen::{Screen, Stop, outside};
use crate::store::{Decided, Events};

/// How long nothing may be seen of what was decided.
const PAUSE: Duration = Duration::from_millis(250);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Stay, and show each decision as it is made
    #[arg(long, short)]
    follow: bool,
    /// One JSON object on a line for each decision
    #[arg(long)]
    json: bool,
    /// How many of the newest to begin with
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    last: u32,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    let events = Events::open(&existing_data()?)?;
    let mut seen = events.last()?;
    let found = events.newest(arguments.last)?;
    if found.is_empty() && !arguments.follow && !arguments.json {
        screen.show("Nothing was decided yet.\n");
        return Ok(());
    }
    let mut found: Vec<Decided> = found.into_iter().filter(|at| at.seq <= seen).collect();
    loop {
        let mut text = String::new();
        for decided in &found {
            seen = seen.max(decided.seq);
            match arguments.json {
                true => text.push_str(&object(decided)),
                false => text.push_str(&told(decided)),
            }
        }
        if !screen.shows(&text) || !arguments.follow {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
        found = events.after(seen)?;
    }
}

/// The entry of the audit with its number and its time.
fn object(decided: &Decided) -> String {
    let mut object = decided.what.clone();
    if let Value::Object(map) = &mut object {
        map.remove("what");
        map.insert("seq".to_owned(), decided.seq.into());
        map.insert("at".to_owned(), format!("{}Z", decided.at).into());
    }
    format!("{object}\n")
}

/// The entry in words: the decision on one line, and a line for each row that spoke.
fn told(decided: &Decided) -> String {
    let word = |name: &str| {
        decided
            .what
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or("?")
    };
    let when = match word("when") {
        "press" => ", at the press",
        "resume" => ", before it ran",
        _ => "",
    };
    let arguments = decided.what.get("arguments").map(ToString::to_string);
    let mut text = format!(
        "{}  {:<7}  {:<7}  {} {}{when}\n",
        decided.at,
        outside(word("action")).to_string(),
        outside(word("risk")).to_string(),
        outside(word("tool")),
        outside(&arguments.unwrap_or_default()),
    );
    // What allowed it then was the answer; the rows say why it was asked for.
    let answered = !when.is_empty() && word("action") == "allowed";
    let row_of = if answered {
        "it was asked by row"
    } else {
        "row"
    };
    if answered {
        text.push_str("    by the answer on its card\n");
    }
    let reasons = decided.what.get("reasons").and_then(Value::as_array);
    for reason in reasons.into_iter().flatten() {
        let row = reason.get("row").map(ToString::to_string);
        let because = reason.get("because").and_then(Value::as_str);
        let _ = writeln!(
            text,
            "    {row_of} {}: {}",
            row.unwrap_or_default(),
            outside(
                because
                    .filter(|why| !why.is_empty())
                    .unwrap_or("(not kept)")
            )
        );
    }
    text
}
