//! What kind of place is a channel? A message names its channel by number alone, so what was said
//! of channels before is kept; what was never said has to be asked for.

use std::collections::BTreeMap;

use serde_json::Value;

/// What is known of the channels that we can hear.
#[derive(Clone, Debug, Default)]
pub struct Channels(BTreeMap<String, Seat>);

/// What a channel is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its kind.
    pub(super) kind: SeatKind,
    /// The guild that it belongs to.
    pub(super) guild: Option<String>,
}

/// The kinds of channels that are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SeatKind {
    /// One person and the bot.
    Direct,
    /// Anything else that several can read.
    Group,
    /// A thread or a forum post, in another channel.
    Thread {
        /// Which.
        parent: String,
    },
}

impl Channels {
    /// Learns what one channel object says. Unknown kinds are rooms that several can read.
    pub fn learn(&mut self, channel: &Value, guild: Option<&str>) {
        let Some(id) = snowflake(channel.get("id")) else {
            return;
        };
        let kind = match channel.get("type").and_then(Value::as_u64) {
            Some(DIRECT) if one_recipient(channel) => SeatKind::Direct,
            Some(10..=12) => match snowflake(channel.get("parent_id")) {
                Some(parent) => SeatKind::Thread {
                    parent: parent.to_owned(),
                },
                // Whoever cannot say where a thread hangs has not described it.
                None => return,
            },
            Some(_) => SeatKind::Group,
            None => return,
        };
        let guild = snowflake(channel.get("guild_id"))
            .or(guild)
            .map(ToOwned::to_owned);
        if self.0.len() < MOST || self.0.contains_key(id) {
            self.0.insert(id.to_owned(), Seat { kind, guild });
        }
    }

    /// Learns what an event of the gateway says about channels.
    pub fn learn_event(&mut self, name: &str, data: &Value) {
        let list = |key: &str| {
            data.get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        match name {
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
                self.learn(data, None);
            }
            "GUILD_CREATE" => {
                let guild = snowflake(data.get("id"));
                for channel in list("channels").chain(list("threads")) {
                    self.learn(channel, guild);
                }
            }
            "THREAD_LIST_SYNC" => {
                let guild = snowflake(data.get("guild_id"));
                for channel in list("threads") {
                    self.learn(channel, guild);
                }
            }
            _ => {}
        }
    }

    /// Forgets a channel that is gone.
    pub(super) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// What is known of a channel.
    pub(super) fn seat(&self, id: &str) -> Option<&Seat> {
        self.0.get(id)
    }

    /// The channels of a guild.
    pub(super) fn of_guild(&self, guild: &str) -> Vec<String> {
        let ours = |seat: &Seat| seat.guild.as_deref() == Some(guild);
        let found = self.0.iter().filter(|(_, seat)| ours(seat));
        found.map(|(id, _)| id.clone()).collect()
    }
}

/// An id as the platform writes them: digits of a number of 64 bits, and nothing else.
pub(super) fn snowflake(value: Option<&Value>) -> Option<&str> {
    let text = value?.as_str()?;
    let digits = (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(text)
}

/// A direct channel names its one other member; who says nothing of members is taken at its kind.
fn one_recipient(channel: &Value) -> bool {
    channel
        .get("recipients")
        .and_then(Value::as_array)
        .is_none_or(|all| all.len() <= 1)
}

/// The kind of a channel between one person and the bot (Channel Types: 1 is DM, 3 is GROUP_DM,
/// 10 to 12 are threads).
const DIRECT: u64 = 1;
/// How many channels are remembered; what is beyond is asked for each time.
const MOST: usize = 50_000;
