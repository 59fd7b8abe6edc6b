//! What did the owner say of calls like this? Allow, ask and deny rules.

use serde::{Deserialize, Deserializer, Serialize};

use crate::call::{self, Arguments, Call};
use crate::pattern::{Pattern, Reading};

/// One rule: a pattern and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The pattern, such as `@files write --file notes`.
    #[serde(deserialize_with = "pattern")]
    pub pattern: String,
    /// What it says.
    pub action: Action,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Run it.
    Allow,
    /// Ask.
    Ask,
    /// Do not run it.
    Deny,
}

/// The rules in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The owner's own, in the order in which they are listed.
    pub rules: Vec<Rule>,
    /// Those that come with Postern; they speak in a guest's place too.
    #[serde(skip)]
    pub shipped: Vec<Rule>,
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

impl Rules {
    /// The rules that come with Postern.
    pub fn shipped() -> Self {
        Self::in_force(Vec::new())
    }

    /// The owner's rules beside those that come with Postern.
    pub fn in_force(owners: Vec<Rule>) -> Self {
        let shipped = SHIPPED
            .iter()
            .map(|pattern| Rule {
                pattern: (*pattern).to_owned(),
                action: Action::Allow,
            })
            .collect();
        Self {
            rules: owners,
            shipped,
        }
    }

    /// Reads a rule file, `{"rules": [{"pattern": "@files write", "action": "ask"}]}`, and puts
    /// the rules in it beside the shipped ones.
    ///
    /// # Errors
    /// When it is too long or nests too deeply, is no JSON, has unknown keys, or holds a pattern
    /// that could never match; nothing of it is taken then.
    pub fn parse(text: &str) -> Result<Self, NotRules> {
        if text.len() > call::ARGUMENT_BYTES || call::depth(text) > call::ARGUMENT_DEPTH {
            return Err(NotRules {
                line: 1,
                column: 1,
                what: "the file is too long or nests too deeply for rules".to_owned(),
            });
        }
        match serde_json::from_str::<Self>(text) {
            Ok(read) => Ok(Self::in_force(read.rules)),
            Err(error) => Err(NotRules {
                line: error.line(),
                column: error.column(),
                what: reason(&error.to_string()),
            }),
        }
    }

    /// The longest deny rule that matches; of a call that cannot be read, the first that names
    /// its tool.
    pub(crate) fn denial(&self, call: &Call) -> Option<&Rule> {
        let denies = |rule: &&Rule| rule.action == Action::Deny;
        match &call.arguments {
            Arguments::Readable(_) => longest(self.all().filter(denies), call),
            Arguments::Unreadable(_) => self
                .all()
                .filter(denies)
                .find(|rule| Pattern::read(&rule.pattern).is_none_or(|p| p.names(call))),
        }
    }

    /// What the allow and ask rules say: the longest that matches, asking on a tie.
    pub(crate) fn word(&self, call: &Call, allows: Allows) -> Option<&Rule> {
        let ask = longest(self.all().filter(|rule| rule.action == Action::Ask), call);
        let owners = match allows {
            Allows::All => self.rules.as_slice(),
            Allows::Shipped => &[],
        };
        let allow = longest(
            self.shipped
                .iter()
                .chain(owners)
                .filter(|rule| rule.action == Action::Allow),
            call,
        );
        match (allow, ask) {
            (Some(allow), Some(ask)) if length(allow) > length(ask) => Some(allow),
            (_, Some(ask)) => Some(ask),
            (allow, None) => allow,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Rule> {
        self.shipped.iter().chain(&self.rules)
    }
}

impl Rule {
    /// Whether the rule speaks of this call. An allow rule is read as narrowly as it can be, a
    /// rule that asks or denies as widely; what cannot be read never allows and always holds back.
    pub fn matches(&self, call: &Call) -> bool {
        let reading = match self.action {
            Action::Allow => Reading::Narrow,
            Action::Ask | Action::Deny => Reading::Wide,
        };
        match (Pattern::read(&self.pattern), reading) {
            (Some(pattern), reading) => pattern.matches(call, reading),
            (None, Reading::Narrow) => false,
            (None, Reading::Wide) => true,
        }
    }
}

fn longest<'a>(rules: impl Iterator<Item = &'a Rule>, call: &Call) -> Option<&'a Rule> {
    rules
        .filter(|rule| rule.matches(call))
        .max_by_key(|rule| length(rule))
}

/// How much a pattern says; blanks do not count.
fn length(rule: &Rule) -> usize {
    rule.pattern.chars().filter(|c| !c.is_whitespace()).count()
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

const SHIPPED: [&str; 16] = [
    "@coder git-branch",
    "@coder git-changed",
    "@coder git-diff",
    "@coder git-log",
    "@coder git-status",
    "@coder read",
    "@coder search",
    "@coder tree",
    "@files list",
    "@files read",
    "@files search",
    "@files tree",
    "@memory list",
    "@memory save",
    "@memory search",
    "@web",
];
