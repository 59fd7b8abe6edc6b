//! What does an entry of the audit say, in words?

use serde_json::Value;

/// The entry in one line; `name` tells a person by their number. What is not known is shown as it
/// was written.
pub(super) fn of(what: &str, name: impl Fn(i64) -> String) -> String {
    let Ok(entry) = serde_json::from_str::<Value>(what) else {
        return what.to_owned();
    };
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let person = |key: &str| entry.get(key).and_then(Value::as_i64).map(&name);
    let who = person("person").unwrap_or_default();
    let place = format!("{} {}", text("line"), text("chat"));
    match text("what") {
        "paired" if who == text("role") => format!("the {who} was paired at {place}"),
        "paired" => format!("{who} ({}) was paired at {place}", text("role")),
        "unpaired" => format!("{who} was let go at {place}"),
        "moved" => format!(
            "the group {} {} goes on as {}",
            text("line"),
            text("from"),
            text("to")
        ),
        "picked" => format!(
            "{who} sent letter {} elsewhere from {}",
            text("offered"),
            text("line")
        ),
        "codes-voided" => "too many wrong codes: every pairing code was voided".to_owned(),
        "judged" => {
            // At the press it was the answer that allowed it; the rows say why it was asked for.
            let answered = text("when") != "call" && text("action") == "allowed";
            let how = if answered {
                " by the answer on its card, asked for"
            } else {
                ""
            };
            format!(
                "{} {}{how}{}",
                text("action"),
                text("tool"),
                reasons(&entry)
            )
        }
        "configured" => format!("started with the settings {}", short(text("settings"))),
        "ruled" => format!("the owner's rules are now {}", short(text("rules"))),
        "project-rules" => format!(
            "{who}: the rule file {} ({}) is {}",
            text("path"),
            short(text("digest")),
            text("trust")
        ),
        "asked" => format!("asked {who} about call {}", text("call")),
        "closed" => match person("by") {
            Some(by) => format!("call {}: {} by {by}", text("call"), text("state")),
            None => format!("call {}: {}", text("call"), text("state")),
        },
        "started" => format!("started call {}", text("call")),
        "ended" => format!("call {} ended: {}", text("call"), text("how")),
        "rule-saved" => format!("{who} saved the rule {}", text("pattern")),
        _ => what.to_owned(),
    }
}

/// The beginning of a digest, enough to tell two apart.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn reasons(entry: &Value) -> String {
    let reasons = entry.get("reasons").and_then(Value::as_array);
    let said: Vec<&str> = reasons
        .into_iter()
        .flatten()
        .filter_map(|reason| reason.get("because").and_then(Value::as_str))
        .collect();
    if said.is_empty() {
        String::new()
    } else {
        format!(": {}", said.join("; "))
    }
}
