//! What was typed, and when? Lines of the standard input, read beside everything else.

use std::io::{BufRead, IsTerminal, Write};
use std::time::Instant;

use bot_policy::surface::Came;
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::asked::{ALONE, QUIET};

/// A line, or the end of all lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// None at the end of the input.
    pub(super) line: Option<String>,
    /// When it was read.
    pub(super) at: Instant,
    /// How it came.
    pub(super) came: Came,
}

/// Where the terminal says that a paste begins and ends (xterm, "Bracketed Paste Mode").
const BEGINS: &str = "\u{1b}[200~";
const ENDS: &str = "\u{1b}[201~";

/// Takes the terminal's marks out of a line. A line that has any, or stands between two, is pasted.
fn unmarked(mut typed: Typed, inside: &mut bool) -> Typed {
    let Some(line) = &typed.line else {
        return typed;
    };
    let (begins, ends) = (line.rfind(BEGINS), line.rfind(ENDS));
    if *inside || begins.is_some() || ends.is_some() {
        typed.came = Came::Pasted;
    }
    // The later mark of the two holds from here on.
    if begins != ends {
        *inside = begins > ends;
    }
    typed.line = Some(line.replace(BEGINS, "").replace(ENDS, ""));
    typed
}

/// The lines of the standard input.
pub(super) struct Input {
    lines: UnboundedReceiver<Typed>,
    /// Keeps an input open on which nothing comes.
    _open: Option<UnboundedSender<Typed>>,
    /// Whether a person types them.
    pub(super) by_hand: bool,
    /// Whether the lines that come now lie inside a paste.
    inside: bool,
    /// Whether the terminal was asked to mark pastes.
    marks: bool,
}

impl Drop for Input {
    fn drop(&mut self) {
        self.mark_pastes(false);
    }
}

impl Input {
    /// The standard input of this process.
    pub(super) fn of_this_process() -> Self {
        let (sender, lines) = unbounded_channel();
        let by_hand = std::io::stdin().is_terminal();
        // A thread of its own: a read cannot be broken off.
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let typed = Typed {
                    line: line.ok(),
                    at: Instant::now(),
                    came: Came::Alone,
                };
                let ends = typed.line.is_none();
                if ends && hung_up(by_hand) {
                    return;
                }
                if sender.send(typed).is_err() || ends {
                    return;
                }
            }
            if hung_up(by_hand) {
                return;
            }
            let _ = sender.send(Typed {
                line: None,
                at: Instant::now(),
                came: Came::Alone,
            });
        });
        Self {
            lines,
            _open: None,
            by_hand,
            inside: false,
            marks: false,
        }
    }

    /// An input on which nothing ever comes.
    pub(super) fn none() -> Self {
        let (sender, lines) = unbounded_channel();
        Self {
            lines,
            _open: Some(sender),
            by_hand: false,
            inside: false,
            marks: false,
        }
    }

    /// The next line.
    pub(super) async fn next(&mut self) -> Typed {
        match self.lines.recv().await {
            Some(typed) => unmarked(typed, &mut self.inside),
            // The thread is gone after the end, which was told.
            None => std::future::pending().await,
        }
    }

    /// The next line that was read already.
    pub(super) fn waiting(&mut self) -> Option<Typed> {
        let typed = self.lines.try_recv().ok()?;
        Some(unmarked(typed, &mut self.inside))
    }

    /// Asks the terminal to mark what is pasted, or to do so no more.
    pub(super) fn mark_pastes(&mut self, marks: bool) {
        if marks == self.marks || !self.by_hand || !std::io::stdout().is_terminal() {
            return;
        }
        self.marks = marks;
        let mode = if marks {
            "\u{1b}[?2004h"
        } else {
            "\u{1b}[?2004l"
        };
        let mut out = std::io::stdout().lock();
        // A terminal that is gone pastes nothing.
        let _ = out.write_all(mode.as_bytes()).and_then(|()| out.flush());
    }

    /// Takes away what was typed before now: what stands in the kernel's queue is thrown away,
    /// and the whole lines that were read already are given back.
    pub(super) fn drain(&mut self) -> Vec<Typed> {
        if self.by_hand {
            // It fails only where there is no terminal.
            let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
        }
        let mut drained = Vec::new();
        while let Ok(typed) = self.lines.try_recv() {
            drained.push(unmarked(typed, &mut self.inside));
        }
        // The end of a paste may have been thrown away.
        self.inside = false;
        drained
    }

    /// Whether the next line is one of these words and came alone; what was typed before the
    /// question was shown is no answer to it.
    pub(super) async fn agrees(&mut self, words: &[&str]) -> bool {
        let shown = Instant::now();
        self.drain();
        self.mark_pastes(true);
        let mut before: Option<Instant> = None;
        let agrees = loop {
            let typed = self.next().await;
            let Some(line) = typed.line else {
                break false;
            };
            let follows = timeout(ALONE, self.next()).await.ok();
            let alone = before.is_none_or(|before| typed.at >= before + ALONE)
                && typed.came == Came::Alone
                && follows.as_ref().is_none_or(|next| next.line.is_none());
            if alone && typed.at >= shown + QUIET {
                break words.contains(&line.trim().to_lowercase().as_str());
            }
            match follows {
                None => before = Some(typed.at),
                Some(Typed { line: None, .. }) => break false,
                Some(next) => before = Some(next.at),
            }
        };
        self.mark_pastes(false);
        agrees
    }
}

/// Whether the terminal itself is gone: nobody ended the input then, and a signal ends the process.
fn hung_up(by_hand: bool) -> bool {
    by_hand && !std::io::stdin().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_marks_is_pasted_and_nothing_else() {
        let mut inside = false;
        let mut came = |line: &str| {
            let typed = Typed {
                line: Some(line.to_owned()),
                at: Instant::now(),
                came: Came::Alone,
            };
            let typed = unmarked(typed, &mut inside);
            (typed.line.unwrap(), typed.came)
        };
        for (line, text, how) in [
            ("y", "y", Came::Alone),
            ("\u{1b}[200~Notes", "Notes", Came::Pasted),
            ("y", "y", Came::Pasted),
            ("thanks\u{1b}[201~", "thanks", Came::Pasted),
            ("y", "y", Came::Alone),
            ("\u{1b}[200~y\u{1b}[201~", "y", Came::Pasted),
            ("n", "n", Came::Alone),
            ("\u{1b}[201~y", "y", Came::Pasted),
            ("\u{1b}[201~\u{1b}[200~", "", Came::Pasted),
            ("y", "y", Came::Pasted),
        ] {
            assert_eq!(came(line), (text.to_owned(), how), "{line:?}");
        }
    }
}
