//! What went wrong, in the words of the Graph API?

use serde_json::Value;

/// The words of an error as they may be shown and logged: short, one line, without the secret.
pub(super) fn words(error: &Value, secret: Option<&String>) -> String {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_owned();
    let message = word(error.get("message").or_else(|| error.get("title")));
    let details = word(error.get("error_data").and_then(|data| data.get("details")));
    let mut said = match (message.is_empty(), details.is_empty()) {
        (_, true) => message,
        (true, false) => details,
        (false, false) => format!("{message}: {details}"),
    };
    if let Some(secret) = secret {
        said = said.replace(secret.as_str(), "<redacted>");
    }
    let line: String = said
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(300)
        .collect();
    if line.is_empty() {
        "no reason given".to_owned()
    } else {
        line
    }
}

/// More than 24 hours have passed since the person wrote (Cloud API, error codes).
pub(super) const LATE: i64 = 131_047;
