//! `postern token`: lets a program of the owner's speak in a chat of its own, and no longer.

use std::fmt::Write;

use super::screen::{Screen, Stop, span};
use super::{ask_running, now, unexpected};
use crate::socket::{Answer, Request};
use crate::token::{TokenName, Words};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Order {
    /// Show which there are
    List,
    /// Make a token; it is shown once
    Make {
        /// What to call it
        name: TokenName,
        /// What it sends are your own words. Without this it is outside content, after which
        /// everything that changes something asks you
        #[arg(long)]
        own_words: bool,
    },
    /// Make a token worthless at once, and let go of its chat
    Revoke {
        /// What it is called
        name: String,
    },
}

pub(super) async fn run(screen: &Screen, order: Order) -> Result<(), Stop> {
    match order {
        Order::List => list(screen).await,
        Order::Make { name, own_words } => {
            let words = if own_words {
                Words::Own
            } else {
                Words::Outside
            };
            let Answer::NewToken(made) = ask_running(&Request::MakeToken { name, words }).await?
            else {
                return Err(unexpected());
            };
            let whose = match made.words {
                Words::Outside => "what it sends is outside content",
                Words::Own => "what it sends counts as your own words",
            };
            screen.show(&format!(
                "Token {}, shown this once; {whose}:\n  {}\nWhoever has it speaks in one chat of its own and reads what is answered there.\n",
                made.name, made.token
            ));
            Ok(())
        }
        Order::Revoke { name } => {
            let Answer::Revoked = ask_running(&Request::RevokeToken { name: name.clone() }).await?
            else {
                return Err(unexpected());
            };
            screen.show(&format!("Token {name} is revoked.\n"));
            Ok(())
        }
    }
}

async fn list(screen: &Screen) -> Result<(), Stop> {
    let Answer::Tokens { tokens } = ask_running(&Request::Tokens).await? else {
        return Err(unexpected());
    };
    if tokens.is_empty() {
        screen.show("No program has a token. To make one: postern token make NAME\n");
    }
    let mut text = String::new();
    for token in tokens {
        let whose = match token.words {
            Words::Outside => "outside content",
            Words::Own => "your own words",
        };
        let age = span(token.since, now());
        let _ = writeln!(text, "{}  {whose}, made {age} ago", token.name);
    }
    screen.show(&text);
    Ok(())
}
