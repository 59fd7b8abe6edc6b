//! What goes wrong on a platform, in words that all of them have.

use std::time::Duration;

use super::chat::Door;
use super::house::{House, soon};

/// A call of the bot's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// One that changes a message.
    Edit,
    /// One that shows a new message.
    Send,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is done, and its answer is lost.
    Drop,
    /// It is not done, and never answered.
    Hang,
    /// It is refused for good: the bot may not speak there.
    Refuse,
    /// It is not done, and the platform says with this status that it has trouble.
    Status(u16),
    /// It came too soon: it is not done, and may come again after a second.
    TooMany,
}

/// Longer than any story.
pub const NEVER: Duration = Duration::from_secs(3600);

impl House {
    /// Lets something go wrong with the next call of this kind; several are used up in order.
    pub fn goes_wrong(&self, door: Door, call: Call, wrong: Wrong) {
        match door {
            Door::Telegram => telegram(self, call, wrong),
            Door::Discord | Door::Slack | Door::WhatsApp => {
                self.world.platform().goes_wrong(call, wrong);
            }
            Door::Web => panic!("nothing is sent to the page"),
        }
    }

    /// Waits until all that was to go wrong with calls of this kind has begun to.
    pub async fn went_wrong(&self, door: Door, call: Call) {
        let to_come = || match door {
            Door::Telegram => self.fake().to_go_wrong(method(call)),
            Door::Discord | Door::Slack | Door::WhatsApp => self.world.platform().to_go_wrong(call),
            Door::Web => 0,
        };
        let all = soon(|| (to_come() == 0).then_some(())).await;
        assert!(all.is_some(), "no such call: {}", self.errors());
    }
}

fn method(call: Call) -> &'static str {
    match call {
        Call::Edit => "editMessageText",
        Call::Send => "sendMessage",
    }
}

fn telegram(house: &House, call: Call, wrong: Wrong) {
    use fakes::telegram::Fault;
    let fault = match wrong {
        Wrong::Drop => Fault::Drop,
        Wrong::Hang => Fault::Hang,
        Wrong::Refuse => Fault::Refuse {
            code: 403,
            description: "Forbidden: bot was blocked by the user".into(),
        },
        Wrong::Status(status) => Fault::Status(status),
        Wrong::TooMany => Fault::TooMany { retry_after: 1 },
    };
    house.fake().inject(method(call), fault);
}

/// One story, told on each platform that can fail us: all but the page.
macro_rules! on_platforms {
    (async fn $name:ident($door:ident) $story:block) => {
        mod $name {
            #[allow(unused_imports, reason = "not every story needs all words")]
            use super::*;
            use crate::stories::chat::Door;

            async fn story($door: Door) $story

            #[tokio::test]
            async fn on_telegram() {
                story(Door::Telegram).await;
            }

            #[tokio::test]
            async fn on_discord() {
                story(Door::Discord).await;
            }

            #[tokio::test]
            async fn on_slack() {
                story(Door::Slack).await;
            }

            #[tokio::test]
            async fn on_whatsapp() {
                story(Door::WhatsApp).await;
            }
        }
    };
}
