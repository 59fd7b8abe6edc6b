//! Code conversations: how long from Enter at the terminal to the first words of the answer, and
//! how much does one hold that is only open?

use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::disk::Disk;
use crate::figure::{Aim, ms, percentile, print};
use crate::home::Home;

/// How many are open at once when their memory is looked at.
const OPEN: usize = 8;

/// A terminal with a Code conversation in it, on pipes.
struct Terminal {
    child: Child,
    types: ChildStdin,
    shows: BufReader<ChildStdout>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    fn open(home: &Home, folder: &Path) -> Self {
        let mut child = home.terminal(folder);
        let types = child.stdin.take().expect("a piped input");
        let shows = BufReader::new(child.stdout.take().expect("a piped output"));
        let mut terminal = Self {
            child,
            types,
            shows,
        };
        terminal.sees("To go on from your phone");
        terminal
    }

    /// Types a line; how long until the first words of its answer stand there.
    fn ask(&mut self, line: &str) -> Duration {
        let begun = Instant::now();
        writeln!(self.types, "{line}").expect("a terminal that reads");
        self.sees("│ ");
        let took = begun.elapsed();
        self.sees("obeys every plain sentence it sees\n");
        took
    }

    fn sees(&mut self, text: &str) {
        let mut shown = Vec::new();
        let mut byte = [0];
        while !shown.ends_with(text.as_bytes()) {
            self.shows
                .read_exact(&mut byte)
                .expect("a terminal that shows");
            shown.extend_from_slice(&byte);
        }
    }
}

pub async fn run(program: &Path, lines: usize) {
    let home = Home::new(program, None);
    let mut running = home.start();
    home.serving(&mut running).await;
    let mut disk = Disk::new(home.folder());
    disk.probe(50);
    let work = home.folder().join("work");
    std::fs::create_dir(&work).expect("a fresh folder");
    let mut terminal = Terminal::open(&home, &work);
    for _ in 0..5 {
        terminal.ask("hello");
    }
    let mut times = Vec::new();
    for _ in 0..lines {
        times.push(ms(terminal.ask("hello")));
        // The turn rests before the next line, as a person does.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let p50 = percentile(&times, 50);
    print("code_enter_to_first_words_p50", p50, "ms", Aim::None, &disk);
    let p99 = percentile(&times, 99);
    print("code_enter_to_first_words_p99", p99, "ms", Aim::None, &disk);

    let settle = Duration::from_secs(2);
    tokio::time::sleep(settle).await;
    let before = running.memory("Rss");
    let open: Vec<Terminal> = (0..OPEN).map(|_| Terminal::open(&home, &work)).collect();
    tokio::time::sleep(settle).await;
    let each = (running.memory("Rss") - before) * 1024.0 / OPEN as f64;
    print("code_idle_conversation", each, "KiB", Aim::None, &disk);
    drop(open);
}
