//! What becomes of a turn that cannot go on?

use bot_policy::id::{ConversationId, Timestamp};

use super::conversations::{end, standing};
use super::links::post_all;
use super::outbox::{About, Letter, notice};
use super::turns::stop_turn;
use super::{Blame, Store, StoreError};
use crate::writer::within_savepoint;

impl Store {
    /// Ends a turn that cannot go on, because something in it fails each time, and says so. Where
    /// even that cannot be written, the conversation ends.
    pub async fn give_up(
        &self,
        which: ConversationId,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let Some(at) = standing(tx, which)? else {
                return Ok(Vec::new());
            };
            let stopped = within_savepoint(tx, |tx| {
                stop_turn(&store, tx, which, "something in me failed", now)
            });
            let (mut letters, text) = match stopped {
                Ok(letters) => (letters, GAVE_UP),
                Err(error) => match error.blame() {
                    Blame::Machine => return Err(error),
                    Blame::Work => {
                        end(tx, at, now)?;
                        (Vec::new(), GAVE_UP_ALL)
                    }
                },
            };
            let message = notice(text, Vec::new());
            letters.extend(post_all(&store, tx, which, &message, About::Nothing, now)?);
            Ok(letters)
        })
        .await
    }
}

const GAVE_UP: &str = "Something in me failed while I worked on this, so I stopped. Nothing else is touched; what I had started may or may not have happened. Write again to go on.";
const GAVE_UP_ALL: &str = "Something in me failed while I worked on this, and this conversation cannot go on. Nothing else is touched; your next message starts a fresh one.";
