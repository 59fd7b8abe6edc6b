//! `postern rules`: what runs, what asks, what is refused, and why?

use std::fmt::Write;
use std::path::PathBuf;

use bot_policy::rules::{Action, Rule};

use super::ask_running;
use super::screen::{Screen, Stop, outside};
use crate::agent::tools::specs;
use crate::config::Config;
use crate::folder::{Folder, Purpose};
use crate::rulebook::Rulebook;
use crate::socket::{AskError, Request};

mod change;
mod consent;
mod judged;

use consent::Consent;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    order: Option<Order>,
}

#[derive(Debug, clap::Subcommand)]
enum Order {
    /// Let calls like this run without a question
    Allow(Change),
    /// Have calls like this ask
    Ask(Change),
    /// Refuse calls like this
    Deny(Change),
    /// Say what would become of a call, and why
    Explain {
        /// The call, in quotes: '@files write --file a.txt --content hello'
        call: String,
    },
    /// Take a rule of yours out
    Forget(Change),
    /// Try cases of your own against the rules; fails when one is not as expected
    Test {
        /// A file like {"cases": [{"call": "@files read --file a.txt", "expect": "allow"}]}
        file: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
struct Change {
    /// The pattern, in quotes: '@files write --file notes'
    pattern: String,
    /// Answer yes to what would be asked
    #[arg(long)]
    yes: bool,
}

impl Change {
    fn consent(&self) -> Consent {
        if self.yes {
            Consent::Given
        } else {
            Consent::Needed
        }
    }
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    turn_kin_away().await?;
    let folder = Purpose::Config.path()?;
    let book = || -> Result<Rulebook, Stop> {
        Folder::existing(Purpose::Config, &folder)?;
        Ok(Rulebook::new(&folder))
    };
    let book_to_write = || -> Result<Rulebook, Stop> {
        Ok(Rulebook::new(
            Folder::open(Purpose::Config, &folder)?.path(),
        ))
    };
    let set = |change: &Change, action| {
        change::set(
            screen,
            &book_to_write()?,
            &change.pattern,
            action,
            change.consent(),
        )
    };
    match arguments.order {
        None => list(screen, &book()?),
        Some(Order::Allow(change)) => set(&change, Action::Allow),
        Some(Order::Ask(change)) => set(&change, Action::Ask),
        Some(Order::Deny(change)) => set(&change, Action::Deny),
        Some(Order::Explain { call }) => {
            judged::explain(screen, (&book()?, &Config::read(&folder)?.judging), &call)
        }
        Some(Order::Forget(change)) => {
            change::forget(screen, &book()?, &change.pattern, change.consent())
        }
        Some(Order::Test { file }) => {
            judged::test(screen, (&book()?, &Config::read(&folder)?.judging), &file)
        }
    }
}

/// Rules are for a person to look at and change. Whatever the running gateway started is turned
/// away, and so is everyone while it cannot say whom it started.
async fn turn_kin_away() -> Result<(), Stop> {
    match ask_running(&Request::Status).await {
        Ok(_) => Ok(()),
        Err(why) if why == AskError::NotRunning.into() => Ok(()),
        Err(why) => Err(why),
    }
}

fn list(screen: &Screen, book: &Rulebook) -> Result<(), Stop> {
    let rules = book.in_force()?;
    let file = book.file().display().to_string();
    let mut text = format!("Your rules, in {}:\n", outside(&file));
    if rules.owners().is_empty() {
        text.push_str("  none yet; make one with: postern rules ask '@files write'\n");
    }
    for rule in rules.owners() {
        let _ = writeln!(text, "  {}", outside(&said(rule)));
    }
    text.push_str("Rules that come with Postern:\n");
    let specs = specs();
    let is_here = |rule: &&Rule| {
        let tool = rule.pattern.split_whitespace().next().unwrap_or_default();
        specs
            .iter()
            .any(|spec| tool.strip_prefix('@') == Some(spec.name.as_str()))
    };
    for rule in rules.with_postern().iter().filter(is_here) {
        let _ = writeln!(text, "  {}", outside(&said(rule)));
    }
    screen.show(&text);
    Ok(())
}

/// A rule on one line, as lists show it.
fn said(rule: &Rule) -> String {
    format!("{:<5}  {}", word(rule.action), rule.pattern)
}

/// What a rule says, as it is written in files and commands.
fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    }
}
