//! What becomes of a line that is typed at a question? It is held back until it is known whether it
//! came alone, since a paste answers nothing.

use std::time::Instant;

use bot_policy::access::is_command;
use bot_policy::surface::Came;

use super::super::asked::{ALONE, Follows};
use super::{Goes, Stop, Terminal, fresh_id, input};
use crate::code::protocol::Typed;

impl Terminal {
    /// Where no input comes any more, a question is answered at once: with no.
    pub(super) async fn answer_ended(&mut self) -> Result<(), Stop> {
        if let Some(asked) = self.asked.as_ref().filter(|_| self.ended)
            && let Follows::Press(token) = asked.hears(None, Instant::now(), Came::Alone)
        {
            let id = fresh_id()?;
            self.connection.say(Typed::Press { id, token }).await?;
        }
        Ok(())
    }

    pub(super) fn follow_early(&mut self, follows: Follows) {
        match follows {
            Follows::Kept(words) if is_command(words.trim()) => self.commands.push_back(words),
            Follows::Kept(words) if words.trim().is_empty() => {}
            Follows::Powerless(words) => {
                let told = format!("pasted at a question, so it does nothing: {words}");
                self.screen.show(&self.view.aside(&told));
            }
            Follows::Kept(words) => {
                self.screen.show(&self.view.kept(&words));
                self.kept.push_back(words);
            }
            Follows::Broken | Follows::Dropped | Follows::Press(_) => {}
        }
    }

    /// Drops the question; what was typed at it and is no answer stays.
    pub(super) fn let_go(&mut self) {
        let (asked, held) = (self.asked.take(), self.held.take());
        if let Some((asked, held)) = asked.zip(held) {
            self.follow_early(asked.hears(held.line.as_deref(), asked.shown(), held.came));
        }
    }

    /// What the line does that was held back, now that it is known how it came.
    pub(super) async fn settle(&mut self, came: Came) -> Result<Goes, Stop> {
        let (Some(asked), Some(held)) = (&self.asked, self.held.take()) else {
            return Ok(Goes::On);
        };
        let came = match held.came {
            Came::Alone => came,
            Came::Pasted => Came::Pasted,
        };
        match asked.hears(held.line.as_deref(), held.at, came) {
            Follows::Press(token) => {
                let id = fresh_id()?;
                self.connection.say(Typed::Press { id, token }).await?;
            }
            Follows::Broken => return self.interrupted().await,
            Follows::Dropped => self.screen.show(&self.view.too_soon()),
            kept @ (Follows::Kept(_) | Follows::Powerless(_)) => {
                self.follow_early(kept);
                self.prompt();
            }
        }
        Ok(Goes::On)
    }

    /// A line that was typed at a question is held back until no other follows.
    pub(super) async fn typed_at_question(
        &mut self,
        mut typed: input::Typed,
    ) -> Result<Goes, Stop> {
        let ends = typed.line.is_none();
        let near = |one: Instant| !ends && typed.at < one + ALONE;
        let follows = self.held.as_ref().is_some_and(|held| near(held.at));
        if self.before.is_some_and(near) {
            typed.came = Came::Pasted;
        }
        self.before = Some(typed.at);
        let came = if follows { Came::Pasted } else { Came::Alone };
        let goes = self.settle(came).await?;
        self.held = Some(typed);
        match (goes, ends) {
            (Goes::On, true) => self.settle(Came::Alone).await,
            (goes, _) => Ok(goes),
        }
    }
}
