//! What did the person at the terminal ask for? One file per subcommand.

use std::process::ExitCode;

use bot_policy::id::Timestamp;
use clap::{Parser, Subcommand};

use crate::folder::{Folder, Purpose};
use crate::socket::{Answer, AskError, Request, ask};

mod audit;
mod backup;
pub mod banner;
pub mod code;
mod config;
mod doctor;
mod events;
mod extract;
mod pair;
pub mod qr;
mod record;
mod rules;
pub mod screen;
mod send;
mod status;
mod token;
pub mod tools;
mod unpair;
mod up;

use screen::{Screen, Stop};

/// The guarded door between your messaging apps and one agent.
#[derive(Debug, Parser)]
#[command(
    name = "postern",
    version,
    after_help = "Without a command, postern starts (as `postern up` does)."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Order>,
}

#[derive(Debug, Subcommand)]
enum Order {
    /// Look at the audit
    #[command(subcommand)]
    Audit(audit::Order),
    /// Copy everything that was stored into one file
    Backup(backup::Arguments),
    /// Work in a folder, at this terminal and from your phone
    Code(code::Arguments),
    /// Look at the configuration
    #[command(subcommand)]
    Config(config::Order),
    /// Look at everything, and say what to do about what is wrong
    Doctor,
    /// Show what was decided about which call, and why
    Events(events::Arguments),
    /// Read pages and PDFs for a Postern in another container
    Extract(extract::Arguments),
    /// Make a one-time code that lets an account in
    Pair(pair::Arguments),
    /// Show, explain and change what runs, asks and is refused
    Rules(rules::Arguments),
    /// Say something in your own chat, as if you had typed it there
    Send(send::Arguments),
    /// Show how the running Postern stands
    Status,
    /// Show what the agent can be told to do
    Tools,
    /// Let programs of yours speak, each in a chat of its own
    #[command(subcommand)]
    Token(token::Order),
    /// Let go of a place
    Unpair(unpair::Arguments),
    /// Start Postern (the default)
    Up(up::Arguments),
}

/// Runs the program. The exit code is 0 when done, 1 when it could not be, 2 when the command
/// line was not understood.
///
/// # Errors
/// When the system gives the program no event loop.
pub fn main() -> std::io::Result<ExitCode> {
    if let Some(code) = crate::extract::asked(std::env::args_os()) {
        return Ok(code);
    }
    let order = Arguments::parse()
        .command
        .unwrap_or(Order::Up(up::Arguments::default()));
    let screen = Screen::of_this_process();
    let mut runtime = match order {
        Order::Up(_) => tokio::runtime::Builder::new_multi_thread(),
        Order::Audit(_)
        | Order::Backup(_)
        | Order::Code(_)
        | Order::Config(_)
        | Order::Doctor
        | Order::Events(_)
        | Order::Extract(_)
        | Order::Pair(_)
        | Order::Rules(_)
        | Order::Send(_)
        | Order::Status
        | Order::Tools
        | Order::Token(_)
        | Order::Unpair(_) => tokio::runtime::Builder::new_current_thread(),
    };
    let done = runtime.enable_all().build()?.block_on(async {
        match order {
            Order::Audit(order) => audit::run(&screen, order),
            Order::Backup(arguments) => backup::run(&screen, arguments),
            Order::Code(arguments) => code::run(&screen, arguments).await,
            Order::Config(order) => config::run(&screen, order),
            Order::Doctor => doctor::run(&screen).await,
            Order::Events(arguments) => events::run(&screen, arguments).await,
            Order::Extract(arguments) => extract::run(&screen, arguments).await,
            Order::Pair(arguments) => pair::run(&screen, arguments).await,
            Order::Rules(arguments) => rules::run(&screen, arguments).await,
            Order::Send(arguments) => send::run(&screen, arguments).await,
            Order::Status => status::run(&screen).await,
            Order::Tools => tools::run(&screen),
            Order::Token(order) => token::run(&screen, order).await,
            Order::Unpair(arguments) => unpair::run(&screen, arguments).await,
            Order::Up(arguments) => up::run(&screen, arguments).await,
        }
    });
    Ok(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Shown) => ExitCode::FAILURE,
        Err(Stop::Unapproved(calls)) => {
            let calls = screen::counted(calls, "call");
            screen.complain(&format!("{calls} did not run for want of an approval"));
            ExitCode::from(UNAPPROVED)
        }
        Err(Stop::Because(why)) => {
            screen.complain(&why);
            ExitCode::FAILURE
        }
    })
}

/// The exit code where all was said, and something was not done for want of an approval.
const UNAPPROVED: u8 = 3;

/// Asks the running gateway.
async fn ask_running(request: &Request) -> Result<Answer, Stop> {
    let path = Purpose::Data.path()?;
    let folder = Folder::existing(Purpose::Data, &path)?.ok_or(AskError::NotRunning)?;
    Ok(ask(&folder, request).await?)
}

/// The data folder, whether the gateway runs on it or not.
fn existing_data() -> Result<std::path::PathBuf, Stop> {
    let path = Purpose::Data.path()?;
    match Folder::existing(Purpose::Data, &path)? {
        Some(_) if path.join("postern.db").exists() => Ok(path),
        Some(_) | None => Err(Stop::Because(format!(
            "nothing is stored in {} yet; start Postern with: postern",
            path.display()
        ))),
    }
}

/// An answer to something else than what was asked.
fn unexpected() -> Stop {
    AskError::Broken("an answer to something else".to_owned()).into()
}

fn now() -> Timestamp {
    let passed = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(passed.as_millis()).unwrap_or(i64::MAX))
}
