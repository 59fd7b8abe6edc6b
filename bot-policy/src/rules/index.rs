//! Which rules could speak of this call at all? Rules by tool and command, read once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::call::Call;
use crate::rules::pattern::{Pattern, names_file};
use crate::rules::{Action, Rule, Whose, reach};
use crate::spoken::Spoken;

/// A rule with its pattern read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) rule: Rule,
    pub(crate) whose: Whose,
    pub(crate) pattern: Option<Pattern>,
    /// The file or folder that it names, in its normal form.
    pub(crate) file: Option<String>,
    /// How much the pattern says; blanks do not count.
    pub(crate) length: usize,
}

/// All rules, and where those of one tool and command stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    all: Vec<Read>,
    tools: BTreeMap<String, Tool>,
    /// Those whose pattern cannot be read: they speak of every call.
    unread: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tool {
    whole: Vec<usize>,
    commands: BTreeMap<String, Vec<usize>>,
    /// Those that ask or deny and name a file or folder.
    files: Vec<usize>,
}

impl Index {
    pub(crate) fn add(&mut self, rule: &Rule, whose: Whose) {
        let at = self.all.len();
        let pattern = Pattern::read(&rule.pattern);
        let named = pattern.as_ref().and_then(file).map(reach::somewhere);
        match &pattern {
            None => self.unread.push(at),
            Some(pattern) => {
                let tool = self
                    .tools
                    .entry(key(pattern.tool()).into_owned())
                    .or_default();
                if rule.action != Action::Allow && named.is_some() {
                    tool.files.push(at);
                }
                match pattern.command() {
                    None => tool.whole.push(at),
                    Some(command) => tool
                        .commands
                        .entry(key(command).into_owned())
                        .or_default()
                        .push(at),
                }
            }
        }
        self.all.push(Read {
            rule: rule.clone(),
            whose,
            pattern,
            file: named,
            length: super::length(&rule.pattern),
        });
    }

    /// The rules that name this call's tool, and its command where both name one; and those that
    /// cannot be read.
    pub(crate) fn of(&self, call: &Call) -> Named<'_> {
        let tool = self.tools.get(key(call.tool.as_str()).as_ref());
        let whole = tool.map_or(&[][..], |tool| &tool.whole);
        let command = tool.and_then(|tool| tool.commands.get(key(&call.command).as_ref()));
        Named {
            all: &self.all,
            unread: &self.unread,
            whole,
            command: command.map_or(&[][..], Vec::as_slice),
            files: tool.map_or(&[][..], |tool| &tool.files),
            every: tool.filter(|_| call.command.is_empty()),
        }
    }
}

/// The rules that could speak of one call, looked up once.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    all: &'a [Read],
    unread: &'a [usize],
    whole: &'a [usize],
    command: &'a [usize],
    files: &'a [usize],
    /// The tool, where the call names no command: each of its rules may be meant.
    every: Option<&'a Tool>,
}

impl<'a> Named<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a Read> {
        let every = self.every.map(|tool| tool.commands.values().flatten());
        [self.unread, self.whole, self.command]
            .into_iter()
            .flatten()
            .chain(every.into_iter().flatten())
            .filter_map(|at| self.all.get(*at))
    }

    /// The rules that ask or deny and name a file or folder, of whichever of the tool's commands.
    pub(crate) fn on_files(self) -> impl Iterator<Item = &'a Read> {
        self.files.iter().filter_map(|at| self.all.get(*at))
    }
}

impl Read {
    pub(crate) fn matches(&self, spoken: &Spoken) -> bool {
        self.rule.action.holds(self.pattern.as_ref(), spoken)
    }

    pub(crate) fn denies(&self) -> bool {
        self.rule.action == Action::Deny
    }
}

fn file(pattern: &Pattern) -> Option<&str> {
    let mut files = pattern.conditions().iter();
    files.find_map(|(key, value)| value.as_deref().filter(|_| names_file(key)))
}

fn key(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    }
}
