//! What was typed, and when? Lines of the standard input, read beside everything else.

use std::io::{BufRead, IsTerminal};
use std::time::Instant;

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A line, or the end of all lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// None at the end of the input.
    pub(super) line: Option<String>,
    /// When it was read.
    pub(super) at: Instant,
}

/// The lines of the standard input.
pub(super) struct Input {
    lines: UnboundedReceiver<Typed>,
    /// Keeps an input open on which nothing comes.
    _open: Option<UnboundedSender<Typed>>,
    /// Whether a person types them.
    pub(super) by_hand: bool,
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
            });
        });
        Self {
            lines,
            _open: None,
            by_hand,
        }
    }

    /// An input on which nothing ever comes.
    pub(super) fn none() -> Self {
        let (sender, lines) = unbounded_channel();
        Self {
            lines,
            _open: Some(sender),
            by_hand: false,
        }
    }

    /// The next line.
    pub(super) async fn next(&mut self) -> Typed {
        match self.lines.recv().await {
            Some(typed) => typed,
            // The thread is gone after the end, which was told.
            None => std::future::pending().await,
        }
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
            drained.push(typed);
        }
        drained
    }

    /// Whether the next line is one of these words; what was typed before the question was shown
    /// is no answer to it.
    pub(super) async fn agrees(&mut self, words: &[&str]) -> bool {
        let shown = Instant::now();
        self.drain();
        loop {
            let typed = self.next().await;
            match typed.line {
                None => return false,
                Some(_) if typed.at < shown + super::asked::QUIET => {}
                Some(line) => return words.contains(&line.trim().to_lowercase().as_str()),
            }
        }
    }
}

/// Whether the terminal itself is gone: nobody ended the input then, and a signal ends the process.
fn hung_up(by_hand: bool) -> bool {
    by_hand && !std::io::stdin().is_terminal()
}
