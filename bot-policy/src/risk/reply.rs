//! What did a model say of a call's risk? One clear level, or nobody knows.

use crate::risk::Risk;

/// Reads a model's answer: one level, alone or after "risk level:", with reasons behind it. What
/// names two levels, denies one or only talks about it is unknown; so is no answer. What the model
/// thought aloud before its answer is left out.
pub fn reply(text: Option<&str>) -> Risk {
    let text = text.unwrap_or_default();
    let text = text
        .rsplit_once("</think>")
        .map_or(text, |(_, answer)| answer);
    let mut answer = None;
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut leads = true;
    for word in words.map(str::to_ascii_uppercase) {
        let level = match word.as_str() {
            "HIGH" => Some(Risk::High),
            "LOW" => Some(Risk::Low),
            "MEDIUM" => Some(Risk::Medium),
            "UNKNOWN" => Some(Risk::Unknown),
            "ISN" | "NEVER" | "NO" | "NOR" | "NOT" => return Risk::Unknown,
            _ => None,
        };
        match (level, answer) {
            (Some(level), None) if leads => answer = Some(level),
            (Some(level), Some(before)) if level == before => {}
            (Some(_), _) => return Risk::Unknown,
            (None, _) => {}
        }
        leads = leads && LEADS.contains(&word.as_str());
    }
    answer.unwrap_or(Risk::Unknown)
}

/// Words that may stand before the level.
const LEADS: [&str; 6] = ["ANSWER", "IS", "LEVEL", "RISK", "SECURITY", "THE"];
