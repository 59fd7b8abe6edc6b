//! What did the last reply use? Memories, pages, files, rules and cards, from what is stored.

use bot_policy::access::Scope;
use bot_policy::id::Place;
use bot_policy::taint::Origins;
use bot_policy::visible;

use crate::House;
use crate::agent::Ended;
use crate::agent::deeds::Deed;
use crate::store::{Loaded, StoreError};

/// Answers `/why`.
pub(crate) async fn why(house: &House, place: &Place) -> Result<String, StoreError> {
    let Some(loaded) = house.store.running(place.clone()).await? else {
        return Ok("This conversation is fresh: it has read nothing.".to_owned());
    };
    let mut text = match &loaded.taint.outside {
        Origins::None => "It has read no outside content.".to_owned(),
        Origins::Few(origins) => format!(
            "It has read outside content: {}.",
            origins.iter().cloned().collect::<Vec<_>>().join(", ")
        ),
        Origins::Many => "It has read outside content from many sources.".to_owned(),
    };
    let sensitive = loaded.taint.sensitive.iter();
    let sensitive: Vec<&str> = sensitive.map(|source| source.as_str()).collect();
    if !sensitive.is_empty() {
        text.push_str(&format!(
            "\nIt has read what is marked as sensitive: {}.",
            sensitive.join(", ")
        ));
    }
    text.push_str("\nThe last reply used:");
    let mut lines = memories(&loaded);
    lines.extend(
        loaded
            .turn
            .deeds_of_last_reply()
            .iter()
            .map(|deed| used(&loaded, deed)),
    );
    if lines.is_empty() {
        lines.push("nothing but what was said here".to_owned());
    }
    for line in lines {
        text.push_str(&format!("\n- {}", visible::foreign(&line)));
    }
    Ok(text)
}

/// The memories that stand in the instructions.
fn memories(loaded: &Loaded) -> Vec<String> {
    let count = loaded.memories.len();
    let mut lines: Vec<String> = loaded
        .memories
        .iter()
        .rev()
        .take(MEMORIES_SHOWN)
        .map(|memory| format!("the memory: {}", visible::line(&short(memory))))
        .collect();
    if count > MEMORIES_SHOWN {
        lines.push(match count - MEMORIES_SHOWN {
            1 => "1 more memory".to_owned(),
            more => format!("{more} more memories"),
        });
    }
    lines
}

/// One call: what ran, on what, and what let it run. Where others than the owner read, only what
/// ran is named.
fn used(loaded: &Loaded, deed: &Deed<'_>) -> String {
    let name = match loaded.scope {
        Scope::Owner | Scope::OwnerIncognito => deed.call.rule_name(),
        Scope::Group | Scope::Guest => deed.call.head(),
    };
    let ended = match deed.ended {
        Ended::Done => "",
        Ended::Failed => ", which failed",
        Ended::Unknown => ", with an unknown outcome",
        Ended::Denied | Ended::Unapproved | Ended::Withdrawn => ", which did not run",
    };
    let because = if deed.because.is_empty() {
        String::new()
    } else {
        format!(" ({})", deed.because)
    };
    format!("{}{ended}{because}", short(&name))
}

fn short(text: &str) -> String {
    let start: String = text.chars().take(CHARACTERS).collect();
    if start.len() < text.len() {
        format!("{start}\u{2026}")
    } else {
        start
    }
}

/// How many memories are named.
const MEMORIES_SHOWN: usize = 10;
/// How much of each line is shown, in characters.
const CHARACTERS: usize = 160;
