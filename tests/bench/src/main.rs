//! How fast, how small, and how hard to break is the program? One JSON line per figure, and
//! beside each the disk's own sync time, measured in the same run and the same folder.
//!
//! Nothing here fails because of a time; `kill`, `broken` and `hostile` fail when something is lost.

use std::process::ExitCode;

mod broken;
mod card;
mod code;
mod decide;
#[path = "../../bot-policy/world.rs"]
#[allow(dead_code, reason = "the tests of the policy use the rest")]
mod decide_world;
mod disk;
mod figure;
mod home;
mod hostile;
mod kill;
mod latency;
mod memory;
mod page;
mod person;
mod size;
mod start;
mod stored;

const USAGE: &str = "usage: bench PROGRAM [size] [start [N]] [memory] [latency [N]] [card [N]] [code [N]] [decide [N]] [soak [N]] [kill [N]] [broken [N]] [hostile [N]] [stored [N]]
Without a figure, all are taken, with few rounds.";

/// One figure to take, with its count.
struct Wanted {
    name: String,
    count: Option<usize>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(program) = arguments.next().filter(|first| !first.starts_with('-')) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let program = match std::fs::canonicalize(&program) {
        Ok(program) => program,
        Err(why) => {
            eprintln!("bench: {program} cannot be found ({why}); build it with tests/bench/run");
            return ExitCode::from(2);
        }
    };
    let Some(wanted) = wanted(arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut whole = true;
    for Wanted { name, count } in wanted {
        let count = |usual| count.unwrap_or(usual);
        match name.as_str() {
            "size" => size::run(&program),
            "start" => start::run(&program, count(20)).await,
            "memory" => memory::run(&program).await,
            "latency" => latency::run(&program, count(1_000)).await,
            "card" => card::run(&program, count(100)).await,
            "code" => code::run(&program, count(100)).await,
            "decide" => decide::run(&program, count(20)),
            "soak" => memory::soak(&program, count(1_000)).await,
            "kill" => whole &= kill::run(&program, count(20)).await,
            "broken" => whole &= broken::run(&program, count(4)).await,
            "hostile" => whole &= hostile::run(&program, count(2_000)).await,
            "stored" => stored::run(&program, count(20_000)).await,
            _ => unreachable!("only figures are wanted"),
        }
    }
    ExitCode::from(u8::from(!whole))
}

const FIGURES: [&str; 12] = [
    "size", "start", "memory", "latency", "card", "code", "decide", "soak", "kill", "broken",
    "hostile", "stored",
];

fn wanted(arguments: impl Iterator<Item = String>) -> Option<Vec<Wanted>> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for argument in arguments {
        if FIGURES.contains(&argument.as_str()) {
            let count = None;
            wanted.push(Wanted {
                name: argument,
                count,
            });
        } else {
            let count = argument.parse().ok().filter(|count| *count > 0)?;
            wanted.last_mut()?.count = Some(count);
        }
    }
    if wanted.is_empty() {
        wanted.extend(FIGURES.map(|name| Wanted {
            name: name.to_owned(),
            count: None,
        }));
    }
    Some(wanted)
}
