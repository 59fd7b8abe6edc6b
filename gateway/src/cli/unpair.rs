//! `postern unpair`: lets go of a place at once, with its queued turns and open cards.

use std::fmt::Write;

use super::screen::{Screen, Stop, counted, outside};
use super::{ask_running, unexpected};
use crate::socket::{Answer, Request, Status};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The place, as `postern status` names it
    #[arg(required_unless_present = "all")]
    place: Vec<String>,
    /// Let go of every place
    #[arg(long, conflicts_with = "place")]
    all: bool,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    let places = match arguments.all {
        // The name of a place has a space in it: with quotes and without it is one place.
        false => vec![arguments.place.join(" ")],
        true => match ask_running(&Request::Status).await? {
            Answer::Status(status) => places(&status),
            Answer::Code { .. }
            | Answer::Doctor { .. }
            | Answer::Opened(_)
            | Answer::NewCode(_)
            | Answer::NewToken(_)
            | Answer::Refused { .. }
            | Answer::Revoked
            | Answer::Sent { .. }
            | Answer::Tokens { .. }
            | Answer::Unpaired(_) => {
                return Err(unexpected());
            }
        },
    };
    if places.is_empty() {
        screen.show("No place is paired.\n");
    }
    for place in places {
        match ask_running(&Request::Unpair { place }).await? {
            Answer::Unpaired(gone) => {
                let mut text = format!(
                    "{} of {} is let go",
                    outside(&gone.place),
                    outside(&gone.person)
                );
                if gone.withdrawn > 0 {
                    let _ = write!(
                        text,
                        ", and {} withdrawn",
                        counted(gone.withdrawn, "open card")
                    );
                }
                text.push_str(".\n");
                screen.show(&text);
            }
            Answer::Code { .. }
            | Answer::Doctor { .. }
            | Answer::Opened(_)
            | Answer::NewCode(_)
            | Answer::NewToken(_)
            | Answer::Refused { .. }
            | Answer::Revoked
            | Answer::Sent { .. }
            | Answer::Status(_)
            | Answer::Tokens { .. } => {
                return Err(unexpected());
            }
        }
    }
    Ok(())
}

fn places(status: &Status) -> Vec<String> {
    let all = status.people.iter().flat_map(|person| &person.places);
    all.cloned().collect()
}
