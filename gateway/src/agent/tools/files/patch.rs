//! What would a file hold after a patch? One passage replaced, wherever it stands exactly once.

use bot_policy::call::Call;

use super::super::ToolError;
use super::inside::Inside;

/// The longest passage, old or new, in bytes: a card shows both whole.
pub(in crate::agent::tools) const PASSAGE: usize = 1200;

/// The text with the passage replaced.
pub(in crate::agent::tools) fn patched(
    path: &Inside,
    text: &str,
    call: &Call,
) -> Result<String, ToolError> {
    let argument = |name: &str| {
        call.text(name)
            .ok_or_else(|| ToolError(format!("{name} is missing")))
    };
    let (old, new) = (argument("old")?, argument("new")?);
    if old.is_empty() || old.len() > PASSAGE || new.len() > PASSAGE {
        return Err(ToolError(format!(
            "old holds 1 to {PASSAGE} bytes and new at most {PASSAGE}; patch in smaller steps, or write the file"
        )));
    }
    if old == new {
        return Err(ToolError("old and new are the same".into()));
    }
    match text.matches(old).count() {
        1 if !overlaps(text, old) => Ok(text.replacen(old, new, 1)),
        0 => Err(ToolError(format!("{path} does not hold the old text"))),
        count => Err(ToolError(format!(
            "{path} holds the old text {} times; give more of what stands around it",
            count.max(2)
        ))),
    }
}

/// Whether a passage that was found once stands a second time across its first end.
fn overlaps(text: &str, old: &str) -> bool {
    text.find(old) != text.rfind(old)
}
