//! `postern send`: says something in the owner's own chat, as if it were typed there.

use super::screen::{Screen, Stop, outside};
use super::{ask_running, unexpected};
use crate::socket::{Answer, Request};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// What to say; several words are joined
    #[arg(required = true, trailing_var_arg = true)]
    text: Vec<String>,
    /// The chat, as `postern status` names it; without it the one that spoke last
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    let request = Request::Send {
        text: arguments.text.join(" "),
        to: arguments.to,
    };
    let Answer::Sent { place } = ask_running(&request).await? else {
        return Err(unexpected());
    };
    screen.show(&format!(
        "Said in {}; the answer comes there.\n",
        outside(&place)
    ));
    Ok(())
}
