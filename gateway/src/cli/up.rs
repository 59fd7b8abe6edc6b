//! `postern up`: runs the gateway until it is told to stop.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use tokio::signal::unix::{SignalKind, signal};

use super::ask_running;
use super::qr::Room;
use super::record::Json;
use super::screen::{Paint, Screen, Stop, outside};
use crate::config::{Config, LogForm};
use crate::folder::{Folder, FolderError, Purpose};
use crate::secrets::Secrets;
use crate::socket::{Answer, AskError, Request};
use crate::{Settings, run as run_gateway};

#[derive(Debug, Default, clap::Args)]
pub(super) struct Arguments {
    /// Draw no code for a phone to read
    #[arg(long)]
    no_qr: bool,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    keep_to_itself()?;
    let config_folder = Folder::open(Purpose::Config, &Purpose::Config.path()?)?;
    let secrets = Secrets::default();
    let config = Config::read(config_folder.path())
        .map_err(|why| Stop::Because(secrets.cut(&why.to_string())))?;
    log(&config, &secrets);
    let data = match Folder::open(Purpose::Data, &Purpose::Data.path()?)?.hold() {
        Ok(data) => data,
        Err(held @ FolderError::Held(_)) => return already_running(screen, held).await,
        Err(why) => return Err(why.into()),
    };
    let (mut stop, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let shutdown = async move {
        tokio::select! {
            _ = stop.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let screen = *screen;
    // A line's link comes later, on the error stream.
    let room = if arguments.no_qr || !std::io::stderr().is_terminal() {
        Room::None
    } else {
        Room::of(screen)
    };
    let cutting = secrets.clone();
    let settings = Settings {
        config,
        config_folder,
        data,
        secrets,
        room,
        started: Box::new(move |banner| screen.show(&banner.render(screen.paint()))),
    };
    let ran = run_gateway(settings, shutdown).await;
    ran.map_err(|why| Stop::Because(cutting.cut(&why.to_string())))
}

/// Keeps what this process holds, its environment too, from whatever it will start as the same user,
/// from debuggers and from core dumps.
fn keep_to_itself() -> Result<(), Stop> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|why| {
        Stop::Because(format!(
            "this system does not let a program keep its memory to itself ({why}); Postern needs Linux"
        ))
    })
}

/// Tells where the other one is; it may still be starting. One that holds the folder and does not
/// answer is an error.
async fn already_running(screen: &Screen, held: FolderError) -> Result<(), Stop> {
    for _ in 0..20 {
        match ask_running(&Request::Status).await {
            Ok(Answer::Status(status)) => {
                screen.show(&format!(
                    "Postern is already running: {}\nTo let another account in: postern pair\n",
                    outside(&status.web)
                ));
                return Ok(());
            }
            Err(why) if why == AskError::NotRunning.into() => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Ok(_) | Err(_) => break,
        }
    }
    Err(held.into())
}

fn log(config: &Config, secrets: &Secrets) {
    // The library that speaks to models writes what they say into its records.
    let filter = format!("{},genai=off", config.log.filter);
    let filter = tracing_subscriber::EnvFilter::new(filter);
    let colour =
        std::io::stderr().is_terminal() && Screen::of_this_process().paint() == Paint::Colour;
    let (log, panics) = (secrets.clone(), secrets.clone());
    std::panic::set_hook(Box::new(move |panic| {
        crate::writer::note_panic(panic);
        // Where alone: what a panic says may repeat what somebody wrote. Nobody may be watching.
        let at = panic.location().map(ToString::to_string);
        let text = format!("crashed at {}\n", at.unwrap_or_default());
        let _ = panics.log().write_all(text.as_bytes());
    }));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || log.log())
        // Whoever read the log may be gone: that is no reason to stop working.
        .log_internal_errors(false);
    // A second subscriber in one process can only be a test's; the first then stays.
    let _ = match config.log.form {
        LogForm::Json => lines.with_ansi(false).event_format(Json).try_init(),
        LogForm::Text => lines.with_ansi(colour).try_init(),
    };
}
