//! What did the owner say of calls like this? Allow, ask and deny rules.

mod address;
mod cases;
mod explain;
mod index;
mod line;
mod merge;
pub mod pattern;
mod reach;
mod suggest;

use serde::{Deserialize, Deserializer, Serialize};

pub use self::cases::{Case, Outcome, cases, run};
pub use self::explain::explain;
pub use self::merge::{Loosening, ProjectRules, Trust, loosening, merge, trust};
pub(crate) use self::reach::Reach;
pub use self::suggest::{Breadth, breadth, suggestion};
use crate::call::{self, Arguments, Call};
pub(crate) use crate::rules::index::Named;
use crate::rules::index::{Index, Read};
use crate::rules::pattern::{Pattern, Reading};
use crate::spoken::Spoken;

/// One rule: a pattern and what it says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The pattern, such as `@files write --file notes`.
    #[serde(deserialize_with = "pattern")]
    pub pattern: String,
    /// What it says.
    pub action: Action,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Run it.
    Allow,
    /// Ask.
    Ask,
    /// Do not run it.
    Deny,
}

/// The rules in force; made as a whole, never changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    owners: Vec<Rule>,
    shipped: Vec<Rule>,
    index: Index,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The owner.
    Owners,
    /// It comes with Postern.
    Shipped,
}

/// Rules could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct NotRules {
    /// Where, counted from 1.
    pub line: usize,
    /// Where in the line, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

/// Whose allow rules speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allows {
    /// The owner's and the shipped ones.
    All,
    /// The shipped ones only: a guest's place.
    Shipped,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rules: Vec<Rule>,
}

impl Rules {
    /// The rules that come with Postern.
    pub fn shipped() -> Self {
        Self::in_force(Vec::new())
    }

    /// The owner's rules beside those that come with Postern.
    pub fn in_force(owners: Vec<Rule>) -> Self {
        let shipped: Vec<Rule> = SHIPPED
            .iter()
            .map(|pattern| Rule {
                pattern: (*pattern).to_owned(),
                action: Action::Allow,
            })
            .collect();
        let mut index = Index::default();
        for rule in &shipped {
            index.add(rule, Whose::Shipped);
        }
        for rule in &owners {
            index.add(rule, Whose::Owners);
        }
        Self {
            owners,
            shipped,
            index,
        }
    }

    /// The owner's own, in the order in which they are listed.
    pub fn owners(&self) -> &[Rule] {
        &self.owners
    }

    /// Those that come with Postern; they speak in a guest's place too.
    pub fn with_postern(&self) -> &[Rule] {
        &self.shipped
    }

    /// Reads a rule file, `{"rules": [{"pattern": "@files write", "action": "ask"}]}`, and puts
    /// the rules in it beside the shipped ones.
    ///
    /// # Errors
    /// When it is too long or nests too deeply, is no JSON, has unknown keys, or holds a pattern
    /// that could never match; nothing of it is taken then.
    pub fn parse(text: &str) -> Result<Self, NotRules> {
        read::<File>(text).map(|file| Self::in_force(file.rules))
    }

    /// How many rules are compared with this call; not how many there are.
    pub fn steps(&self, call: &Call) -> usize {
        self.named(call).iter().count()
    }

    /// The rules that could speak of a call, for the judgements below.
    pub(crate) fn named(&self, call: &Call) -> Named<'_> {
        self.index.of(call)
    }
}

impl<'a> Named<'a> {
    /// The longest deny rule that matches; of a call that cannot be read or names no command, the
    /// first that names its tool.
    pub(crate) fn denial(self, spoken: &Spoken) -> Option<&'a Rule> {
        let call = spoken.call;
        let denies = || self.iter().filter(|read| read.denies());
        let unread = match &call.arguments {
            Arguments::Readable(_) => call.command.is_empty(),
            Arguments::Unreadable(_) => true,
        };
        let names_more = |read: &&Read| {
            let pattern = read.pattern.as_ref();
            pattern.is_none_or(|pattern| !call.command.is_empty() || pattern.command().is_some())
        };
        longest(denies().filter(|read| read.matches(spoken)))
            .or_else(|| denies().filter(|_| unread).find(names_more))
            .map(|read| &read.rule)
    }

    /// What the allow and ask rules and one more of the owner's say: the longest that matches,
    /// asking on a tie.
    pub(crate) fn word<'b>(
        self,
        spoken: &Spoken,
        allows: Allows,
        extra: Option<&'b Rule>,
    ) -> Option<&'b Rule>
    where
        'a: 'b,
    {
        let of = |action: Action| {
            let named = self.iter().filter(move |read| {
                read.rule.action == action
                    && (allows == Allows::All
                        || action != Action::Allow
                        || read.whose == Whose::Shipped)
            });
            longest(named.filter(|read| read.matches(spoken))).map(|read| (&read.rule, read.length))
        };
        let more = extra
            .filter(|rule| allows == Allows::All && rule.speaks_of(spoken))
            .map(|rule| (rule, length(&rule.pattern)));
        let heard = |action: Action| {
            let more = more.filter(|(rule, _)| rule.action == action);
            [of(action), more]
                .into_iter()
                .flatten()
                .max_by_key(|(_, length)| *length)
        };
        match (heard(Action::Allow), heard(Action::Ask)) {
            (Some((allow, long)), Some((_, ask))) if long > ask => Some(allow),
            (_, Some((ask, _))) => Some(ask),
            (allow, None) => allow.map(|(allow, _)| allow),
        }
    }

    /// Whether an ask rule of the owner's speaks of the call and names one of these commands, or
    /// cannot be read.
    pub(crate) fn hold_back(self, spoken: &Spoken, commands: &[&str]) -> bool {
        self.iter().any(|read| {
            let named = read
                .pattern
                .as_ref()
                .is_none_or(|pattern| commands.iter().any(|name| pattern.names_command(name)));
            let asks = read.whose == Whose::Owners && read.rule.action == Action::Ask;
            asks && named && read.matches(spoken)
        })
    }

    /// Every rule that speaks of the call, the strictest kind first and the longest of a kind
    /// first.
    pub(crate) fn speaking(self, spoken: &Spoken) -> Vec<&'a Rule> {
        let mut all: Vec<&Read> = self.iter().filter(|read| read.matches(spoken)).collect();
        all.sort_by_key(|read| (read.rule.action, read.length));
        all.reverse();
        all.into_iter().map(|read| &read.rule).collect()
    }
}

impl Rule {
    /// Whether the rule speaks of this call. An allow rule is read as narrowly as it can be, a
    /// rule that asks or denies as widely; what cannot be read never allows and always holds back.
    pub fn matches(&self, call: &Call) -> bool {
        self.speaks_of(&Spoken::new(call))
    }

    /// The same, of a call whose command lines are judged once for all.
    pub(crate) fn speaks_of(&self, spoken: &Spoken) -> bool {
        self.action
            .holds(Pattern::read(&self.pattern).as_ref(), spoken)
    }
}

impl Action {
    fn holds(self, pattern: Option<&Pattern>, spoken: &Spoken) -> bool {
        let reading = match self {
            Self::Allow => Reading::Narrow,
            Self::Ask | Self::Deny => Reading::Wide,
        };
        match (pattern, reading) {
            (Some(pattern), reading) => pattern.speaks_of(spoken, reading),
            (None, Reading::Narrow) => false,
            (None, Reading::Wide) => true,
        }
    }
}

/// Reads a file of rules, of either kind.
fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, NotRules> {
    if !call::fits(text, &mut 0) {
        return Err(NotRules {
            line: 1,
            column: 1,
            what: "the file is too long or nests too deeply for rules".to_owned(),
        });
    }
    serde_json::from_str(text).map_err(|error| NotRules {
        line: error.line(),
        column: error.column(),
        what: reason(&error.to_string()),
    })
}

fn longest<'a>(rules: impl Iterator<Item = &'a Read>) -> Option<&'a Read> {
    rules.max_by_key(|read| read.length)
}

/// How much a pattern says; blanks do not count.
fn length(pattern: &str) -> usize {
    pattern.chars().filter(|c| !c.is_whitespace()).count()
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if Pattern::read(&text).is_none() {
        return Err(serde::de::Error::custom(
            "a pattern is `@tool command --key value`, at most 500 bytes",
        ));
    }
    Ok(text)
}

/// The parser's words without the place, which stands in front.
fn reason(text: &str) -> String {
    text.rsplit_once(" at line ")
        .map_or(text, |(what, _)| what)
        .to_owned()
}

const SHIPPED: [&str; 14] = [
    "@coder git-branch",
    "@coder git-changed",
    "@coder git-diff",
    "@coder git-log",
    "@coder git-status",
    "@coder read",
    "@coder search",
    "@coder tree",
    "@files read",
    "@files search",
    "@files tree",
    "@memory save",
    "@memory search",
    "@web",
];
