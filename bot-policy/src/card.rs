//! What does the person see? A card, every field of it from the call.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::approval::Question;
use crate::call::{Arguments, Call, plain};
use crate::decide::Finding;
use crate::message::Choices;
use crate::rules::Rule;
use crate::site;
use crate::table;
use crate::tool::{Parameter, ParameterRole, ToolSpec};
use crate::visible::{self, Shown};

/// The sign that only our cards begin with; stripped from all other text.
pub const LEADING_SIGN: &str = "\u{1F6AA}";

/// What stands before the registered name of an address, and before what is odd about it.
const SITE: &str = "site";

/// A question as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// What would run, as rules name it: `@files write`.
    pub title: Shown,
    /// Why it is asked, one line each.
    pub reasons: Vec<Shown>,
    /// Which of the reasons is what the rules say; none where none of them decided.
    #[serde(default)]
    pub rule: Option<Shown>,
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
    card_beside(question, spec, choices, body_limit, &BTreeSet::new())
}

/// The same, and every address beside the sites that the owner knows: what resembles one of them
/// without being part of it is told. A mail is never cut.
pub fn card_beside(
    question: &Question,
    spec: Option<&ToolSpec>,
    choices: Choices,
    body_limit: usize,
    known: &BTreeSet<String>,
) -> Card {
    let limit = if question.call.tool.as_str() == MAIL {
        usize::MAX
    } else {
        body_limit
    };
    let mut reasons: Vec<&Finding> = question.reasons.iter().collect();
    reasons.sort_by_key(|finding| table::place_on_card(finding.row));
    let of_rules = reasons
        .iter()
        .find(|finding| table::is_of_rules(finding.row));
    Card {
        title: visible::line(&question.call.head()),
        rule: of_rules.map(|finding| visible::line(&finding.because)),
        reasons: reasons
            .iter()
            .map(|finding| visible::line(&finding.because))
            .collect(),
        fields: fields(&question.call, spec, limit, known),
        always: question
            .always
            .as_ref()
            .map(|rule| visible::line(&rule.pattern)),
        choices,
        outcome: None,
    }
}

impl Card {
    /// The card with what "All like this" would let run; never cut.
    #[must_use]
    pub fn with_alike(mut self, rule: &Rule) -> Self {
        let label = "All like this would allow, in this conversation";
        self.fields.push(offered(label, rule));
        self
    }

    /// The card with the rule on it that "Always block" would save; never cut.
    #[must_use]
    pub fn with_block(mut self, rule: &Rule) -> Self {
        let label = "Always block would save, to deny";
        self.fields.push(offered(label, rule));
        self
    }
}

fn offered(label: &str, rule: &Rule) -> Field {
    Field {
        kind: FieldKind::Destination,
        label: visible::line(label),
        value: visible::line(&rule.pattern),
        cut: None,
    }
}

/// Destinations, then command lines and bodies, then notes; each in the order of the command, and
/// what the command does not know last.
fn fields(
    call: &Call,
    spec: Option<&ToolSpec>,
    limit: usize,
    known_sites: &BTreeSet<String>,
) -> Vec<Field> {
    let map = match &call.arguments {
        Arguments::Readable(map) => map,
        Arguments::Unreadable(text) => {
            return vec![Field {
                kind: FieldKind::Body,
                label: visible::line("unreadable arguments"),
                value: visible::show(text),
                cut: None,
            }];
        }
    };
    let command = spec.and_then(|spec| spec.command(call));
    let known = command.map_or(&[][..], |command| &command.parameters);
    let patch = patch(call, known);
    let patched = patch.is_some();
    let mut fields: Vec<(u8, usize, Field)> = map
        .iter()
        .filter(|(name, _)| !(patched && PATCH.contains(&name.as_str())))
        .map(|(name, value)| {
            let at = known.iter().position(|parameter| parameter.name == *name);
            let role = at
                .and_then(|at| known.get(at))
                .map_or(ParameterRole::Note, |parameter| parameter.role);
            // In quotes, a name that the caller made up carries none of the card's own labels.
            let name = match at {
                Some(_) => name.clone(),
                None => format!("\"{name}\""),
            };
            let (rank, field) = field(&name, &plain(value), role, limit);
            (rank, at.unwrap_or(known.len()), field)
        })
        .chain(patch.map(|patch| (2, known.len(), patch)))
        .collect();
    fields.sort_by(|(rank, at, one), (other_rank, other_at, other)| {
        (rank, at, &one.label).cmp(&(other_rank, other_at, &other.label))
    });
    fields
        .into_iter()
        .flat_map(|(_, at, field)| {
            let written = known.get(at).map(|parameter| parameter.name.as_str());
            let address = written.and_then(|name| call.text(name));
            let site = address.and_then(|address| site(address, known_sites));
            std::iter::once(field).chain(site)
        })
        .collect()
}

/// What a passage is replaced with, as lines that go and lines that come; never cut.
fn patch(call: &Call, known: &[Parameter]) -> Option<Field> {
    let told = |name| {
        let known = known
            .iter()
            .any(|parameter| parameter.name == name && parameter.role == ParameterRole::Body);
        call.text(name).filter(|_| known)
    };
    let [old, new] = PATCH.map(told);
    let marked = |text: &str, mark: char| -> String {
        let lines = text.split('\n').map(|line| format!("{mark} {line}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let mut lines = vec![marked(old?, '-')];
    lines.extend(
        new.filter(|new| !new.is_empty())
            .map(|new| marked(new, '+')),
    );
    new?;
    Some(Field {
        kind: FieldKind::Body,
        label: visible::line("change"),
        value: visible::show(&lines.join("\n")),
        cut: None,
    })
}

/// Whose an address is, and what is odd about its name; none for what is no address.
fn site(address: &str, known: &BTreeSet<String>) -> Option<Field> {
    let host = site::host(address.trim())?;
    let mut told = site::warnings(host, known);
    told.insert(0, site::domain(host).unwrap_or_else(|| host.to_owned()));
    Some(Field {
        kind: FieldKind::Destination,
        label: visible::line(SITE),
        value: visible::line(&told.join("; ")),
        cut: None,
    })
}

fn field(name: &str, value: &str, role: ParameterRole, limit: usize) -> (u8, Field) {
    let (rank, kind, (value, cut)) = match role {
        ParameterRole::Destination => (0, FieldKind::Destination, (visible::line(value), None)),
        // What would run is shown whole, as a destination is.
        ParameterRole::CommandLine => (1, FieldKind::Body, (visible::line(value), None)),
        ParameterRole::Body => (2, FieldKind::Body, shortened(value, limit)),
        ParameterRole::Note => (3, FieldKind::Note, shortened(value, limit)),
    };
    let label = visible::line(name);
    (
        rank,
        Field {
            kind,
            label,
            value,
            cut,
        },
    )
}

/// The head and the tail of a text that is longer than `limit` characters as shown.
fn shortened(text: &str, limit: usize) -> (Shown, Option<usize>) {
    let shown = visible::show(text);
    let count = shown.as_str().chars().count();
    if count <= limit {
        return (shown, None);
    }
    let tail = limit / 4;
    let head = limit - tail;
    let start: String = shown.as_str().chars().take(head).collect();
    let end: String = shown.as_str().chars().skip(count - tail).collect();
    (
        visible::show(&format!("{start}\n\u{2026}\n{end}")),
        Some(count - limit),
    )
}

/// The parameters of a command that replaces one passage with another.
const PATCH: [&str; 2] = ["old", "new"];

/// The tool that sends mail.
const MAIL: &str = "email";
