//! Does the person at the terminal mean it? Asked once, and only yes is yes.

use std::io::{BufRead, IsTerminal, Read, Write};
use std::path::Path;

use super::super::screen::{Screen, Stop, outside};
use adapters::quoted;

/// The longest answer that is looked at, in bytes.
const ANSWER_LIMIT: u64 = 64;

/// Whether what needs a yes still has to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// It was given on the command line.
    Given,
    /// It is to be asked.
    Needed,
}

impl Consent {
    /// Goes on only after a yes. `what` is the command after `postern rules`, with its pattern.
    pub(super) fn to(
        self,
        screen: &Screen,
        (what, pattern): (&str, &str),
        because: &str,
    ) -> Result<(), Stop> {
        match self {
            Self::Given => return Ok(()),
            Self::Needed => {}
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Err(Stop::Because(format!(
                "{what} {pattern}: {because}; there is no terminal to ask you on, so say yes beforehand: postern rules {what} {} --yes",
                quoted(Path::new(pattern))
            )));
        }
        let mut terminal = std::io::stderr().lock();
        write!(
            terminal,
            "{} {}: {}. Go on? [y/N] ",
            outside(what),
            outside(pattern),
            outside(because)
        )?;
        terminal.flush()?;
        let mut answer = String::new();
        std::io::stdin()
            .lock()
            .take(ANSWER_LIMIT)
            .read_line(&mut answer)?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            return Ok(());
        }
        screen.show("Nothing was changed.\n");
        Err(Stop::Shown)
    }
}
