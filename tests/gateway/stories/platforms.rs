//! The platforms on which every story is told besides Telegram and the page. One file for each, with
//! the verbs that all have; its name stands in `Door`, in `start` and in `on_both!`.

use std::path::Path;

use super::chat::{Door, Seen};
use super::wrong::{Call, Wrong};

mod discord;
mod slack;
mod whatsapp;

/// A platform of the tests, with one direct chat for each account.
pub trait Platform: Send + Sync {
    /// The settings of its line in postern.toml; what they name is put into this folder.
    fn settings(&self, folder: &Path) -> String;

    /// The program serves, with its doors here where it has any.
    fn serves(&self, _doors: Option<&str>) {}

    /// Somebody opens an account, and a chat with the bot.
    fn enter(&self, account: i64);

    /// Whether the bot hears what is said there from now on.
    fn hears(&self) -> bool;

    /// Somebody writes to the bot.
    fn say(&self, account: i64, text: &str);

    /// Somebody's app sends what a button of a message carries, whether it still stands there or
    /// not.
    fn press(&self, account: i64, on: &str, token: &str);

    /// The bot's messages in their chat, oldest first.
    fn screen(&self, account: i64) -> Vec<Seen>;

    /// What the platform calls each thing that people did there: what has to be stored in the end.
    fn events(&self) -> Vec<String>;

    /// The files that the bot sent there: name and content.
    fn files(&self, account: i64) -> Vec<(String, Vec<u8>)>;

    /// Lets something go wrong with the next call of this kind.
    fn goes_wrong(&self, call: Call, wrong: Wrong);

    /// How many calls of this kind are still to go wrong.
    fn to_go_wrong(&self, call: Call) -> usize;
}

/// Starts the platform behind a door; none for those that every house has.
pub async fn start(door: Door) -> Option<Box<dyn Platform>> {
    match door {
        Door::Discord => Some(Box::new(discord::Discord::start().await)),
        Door::Slack => Some(Box::new(slack::Slack::start().await)),
        Door::Telegram | Door::Web => None,
        Door::WhatsApp => Some(Box::new(whatsapp::WhatsApp::start().await)),
    }
}
