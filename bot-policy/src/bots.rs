//! May this bot make another? At most what it has itself, and what is made makes none.

use std::collections::BTreeSet;

use crate::id::ToolName;

/// Who would make a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The tools that it has.
    pub tools: BTreeSet<ToolName>,
    /// How it came to be.
    pub origin: MadeBy,
}

/// How a bot came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeBy {
    /// Another bot made it.
    Bot,
    /// The owner configured it.
    Owner,
}

/// Why a bot is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMade {
    /// The maker was made itself.
    #[error("a bot that a bot made makes none")]
    Made,
    /// It would have a tool that its maker has not, or the one that makes bots.
    #[error(
        "the new bot cannot have @{0}: a made bot has at most its maker's tools and makes none"
    )]
    More(ToolName),
}

/// The bot that would be made, itself unable to make another.
///
/// # Errors
/// When the maker may make none, or the new one would have more than it.
pub fn made(maker: &Maker, tools: BTreeSet<ToolName>) -> Result<Maker, NotMade> {
    match maker.origin {
        MadeBy::Bot => return Err(NotMade::Made),
        MadeBy::Owner => {}
    }
    let more = tools
        .iter()
        .find(|tool| tool.as_str() == MAKING || !maker.tools.contains(tool));
    match more {
        Some(tool) => Err(NotMade::More(tool.clone())),
        None => Ok(Maker {
            tools,
            origin: MadeBy::Bot,
        }),
    }
}

/// The tool that makes bots.
const MAKING: &str = "bots";
