//! Telegram.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
/// A Telegram bot.
pub struct Config {}
