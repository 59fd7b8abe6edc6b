//! `postern code`: a Code conversation in a folder, at this terminal.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::screen::{Screen, Stop, outside, span};
use super::{ask_running, now, unexpected};
use crate::code::protocol::{FolderSeen, Open, Question, Resume, Said, Seen};
use crate::config::Config;
use crate::config::code::Look;
use crate::folder::Purpose;
use crate::socket::{Answer, Request};

pub mod asked;
mod connection;
mod gutter;
mod input;
mod terminal;
mod view;

use input::Input;
use terminal::Terminal;
use view::View;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    order: Option<Order>,
    /// The folder to work in; without it, this one
    folder: Option<PathBuf>,
    /// Say this, print the answer and end; whatever needs an approval does not run
    #[arg(short, long, value_name = "WORDS")]
    print: Option<String>,
    /// List the conversations that go on
    #[arg(long, conflicts_with_all = ["print", "resume"])]
    list: bool,
    /// Go on with the last conversation of the folder, or with the one of this name
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,
    /// How it looks
    #[arg(long, value_enum)]
    look: Option<Look>,
    /// Begin without saying what can be typed
    #[arg(long)]
    no_cheat_sheet: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Order {
    /// Clear the marks of what was written here after outside content was read
    Trust {
        /// A file, or a folder with all that is in it
        path: PathBuf,
    },
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    if let Some(Order::Trust { path }) = arguments.order {
        return trust(screen, path).await;
    }
    if arguments.list {
        return list(screen).await;
    }
    let config = Config::read(&Purpose::Config.path()?)?.code;
    let folder = arguments.folder.unwrap_or_else(|| PathBuf::from("."));
    let folder = folder
        .canonicalize()
        .map_err(|why| Stop::Because(format!("{} cannot be opened: {why}", folder.display())))?;
    let folder = folder.display().to_string();
    let resume = arguments.resume.map(|name| match name.as_str() {
        "" => Resume::Last,
        _ => Resume::Named(name),
    });
    let unattended = arguments.print.is_some();
    let watched = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut input = match unattended {
        true => Input::none(),
        false => Input::of_this_process(),
    };
    if !matches!(resume, Some(Resume::Named(_))) {
        let Said::Folder(seen) = code(Question::Folder {
            path: folder.clone(),
        })
        .await?
        else {
            return Err(unexpected());
        };
        if watched && !unattended {
            about_folder(screen, &mut input, seen).await?;
        }
    }
    let open = Open {
        folder,
        resume,
        unattended,
    };
    let view = View::new(screen.paint(), arguments.look.unwrap_or(config.look));
    let terminal = Terminal::open(*screen, view, input, open).await?;
    match arguments.print {
        Some(words) => terminal.print(words).await,
        None => {
            let sheet = config.cheat_sheet && !arguments.no_cheat_sheet;
            terminal.converse(sheet).await
        }
    }
}

async fn code(question: Question) -> Result<Said, Stop> {
    match ask_running(&Request::Code { question }).await? {
        Answer::Code { said } => Ok(said),
        Answer::Doctor { .. }
        | Answer::NewCode(_)
        | Answer::Opened(_)
        | Answer::Refused { .. }
        | Answer::NewToken(_)
        | Answer::Revoked
        | Answer::Sent { .. }
        | Answer::Tokens { .. }
        | Answer::Status(_)
        | Answer::Unpaired(_) => Err(unexpected()),
    }
}

/// Asks once whose a folder is, and whether its commands may run where no cage can be built.
async fn about_folder(screen: &Screen, input: &mut Input, seen: FolderSeen) -> Result<(), Stop> {
    let mut yours = seen.yours;
    if yours.is_none() {
        let remote = seen.remote.as_deref().unwrap_or("none");
        screen.show(&format!(
            "Is what is in this folder yours?\n  folder      {}\n  git remote  {}\nYes: its files are your own words. No: what is read there is outside content,\nand from then on I ask before I change anything.\n[y/N] ",
            outside(&seen.path),
            outside(remote)
        ));
        yours = Some(input.agrees(&["y", "yes"]).await);
    }
    let mut unconfined = seen.unconfined;
    if let Some(why) = seen.no_cage.as_deref().filter(|_| !unconfined) {
        screen.show(&format!(
            "Commands cannot be kept in here ({}), so none are offered.\nInstall bubblewrap, or type \"accept\" to let them run with all that you may do yourself, each after its card: ",
            outside(why)
        ));
        unconfined = input.agrees(&["accept"]).await;
    }
    if yours != seen.yours || unconfined != seen.unconfined {
        let keep = Question::Keep {
            path: seen.path,
            yours: yours == Some(true),
            unconfined,
        };
        code(keep).await?;
    }
    Ok(())
}

async fn trust(screen: &Screen, path: PathBuf) -> Result<(), Stop> {
    let path = path
        .canonicalize()
        .map_err(|why| Stop::Because(format!("{} cannot be found: {why}", path.display())))?;
    let question = Question::Trust {
        path: path.display().to_string(),
    };
    let Said::Trusted(cleared) = code(question).await? else {
        return Err(unexpected());
    };
    let path = path.display().to_string();
    let path = outside(&path);
    screen.show(&match cleared {
        0 => format!("Nothing in {path} was marked.\n"),
        1 => format!("The marks of one file are cleared: {path}\n"),
        files => format!("The marks of {files} files are cleared: {path}\n"),
    });
    Ok(())
}

async fn list(screen: &Screen) -> Result<(), Stop> {
    let Said::List(seen) = code(Question::List).await? else {
        return Err(unexpected());
    };
    if seen.is_empty() {
        screen.show("No Code conversation goes on; begin one with: postern code\n");
    }
    for seen in seen {
        screen.show(&line(&seen));
    }
    Ok(())
}

fn line(seen: &Seen) -> String {
    let last: String = seen.last.chars().take(60).collect();
    format!(
        "{}  {}{}, {} ago: {}\n",
        outside(&seen.name),
        outside(&seen.folder),
        state(seen),
        span(seen.at, now()),
        outside(&last)
    )
}

/// Whether it is open at a terminal, and where it is linked.
pub(super) fn state(seen: &Seen) -> String {
    let mut state = Vec::new();
    if seen.open {
        state.push("open".to_owned());
    }
    state.extend(
        seen.linked
            .iter()
            .map(|line| format!("linked to {}", outside(line))),
    );
    match state.is_empty() {
        true => String::new(),
        false => format!(" ({})", state.join(", ")),
    }
}
