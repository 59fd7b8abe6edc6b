//! What happens at the terminal? Lines come in from the person and from the gateway, one after
//! the other.

use std::collections::VecDeque;
use std::time::Instant;

use bot_policy::access::is_command;
use bot_policy::surface::Came;
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant as Moment, sleep_until};

use super::super::screen::{Screen, Stop};
use super::asked::{ALONE, Asked};
use super::connection::Connection;
use super::input::{self, Input};
use super::view::{Drawn, Plain, View};
use crate::chance;
use crate::code::protocol::{Before, Open, Opened, Resume, TOOK, Typed, said_as};

mod question;

/// One open Code conversation.
pub(super) struct Terminal {
    screen: Screen,
    view: View,
    input: Input,
    open: Open,
    connection: Connection,
    opened: Opened,
    asked: Option<Asked>,
    /// The line typed last at the question, until it is known whether it came alone.
    held: Option<input::Typed>,
    /// When the line before came.
    before: Option<Instant>,
    /// Lines for the next turn.
    kept: VecDeque<String>,
    /// Commands that were typed before a question stood there; they act all the same.
    commands: VecDeque<String>,
    busy: bool,
    /// Whether the input has ended.
    ended: bool,
}

/// Whether it goes on.
enum Goes {
    On,
    Out,
}

impl Terminal {
    /// Opens the conversation.
    pub(super) async fn open(
        screen: Screen,
        view: View,
        input: Input,
        open: Open,
    ) -> Result<Self, Stop> {
        let (connection, opened) = Connection::open(&open).await?;
        // From now on it goes on with this very one.
        let open = Open {
            resume: Some(Resume::Named(opened.name.clone())),
            ..open
        };
        Ok(Self {
            screen,
            view,
            input,
            open,
            busy: opened.busy,
            connection,
            opened,
            asked: None,
            held: None,
            before: None,
            kept: VecDeque::new(),
            commands: VecDeque::new(),
            ended: false,
        })
    }

    /// Says one thing, prints what is answered, and ends.
    pub(super) async fn print(mut self, words: String) -> Result<(), Stop> {
        for before in std::mem::take(&mut self.opened.history) {
            self.view.passed(&before);
        }
        self.say(words).await?;
        let mut answered = false;
        loop {
            let Some(line) = self.connection.next().await else {
                let opened = self.connection.again(&self.open).await?;
                for before in opened.history {
                    if let Before::Postern { key, body } = before {
                        answered |= self.print_one(&key, &body);
                    }
                }
                if !opened.busy {
                    return said(answered, opened.unapproved);
                }
                continue;
            };
            let text = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
            match what(&line) {
                "idle" => {
                    let unapproved = line.get("unapproved").and_then(Value::as_i64);
                    return said(answered, unapproved.unwrap_or_default());
                }
                "message" => answered |= self.print_one(text("key"), &body(&line)),
                TOOK => self.took(&line),
                _ => {}
            }
        }
    }

    /// Prints a reply; what else there is to say goes to the error stream. Whether it was a reply.
    fn print_one(&mut self, key: &str, body: &Value) -> bool {
        match self.view.plain(key, body) {
            Plain::Reply(text) => {
                self.screen.show(&text);
                true
            }
            Plain::Aside(text) => {
                self.screen.complain(&text);
                false
            }
            Plain::Nothing => false,
        }
    }

    /// Talks with the person until they leave.
    pub(super) async fn converse(mut self, sheet: bool) -> Result<(), Stop> {
        self.screen.show(&self.view.banner(&self.opened, sheet));
        self.history();
        self.prompt();
        let mut interrupts = signal(SignalKind::interrupt())?;
        loop {
            self.input.mark_pastes(self.asked.is_some());
            let settles = self
                .held
                .as_ref()
                .map(|held| Moment::from_std(held.at + ALONE));
            let goes = tokio::select! {
                line = self.connection.next() => match line {
                    Some(line) => self.hears(&line).await?,
                    None => self.reconnect().await?,
                },
                typed = self.input.next(), if !self.ended => self.typed(typed).await?,
                () = sleep_until(settles.unwrap_or_else(Moment::now)), if settles.is_some() => {
                    match self.input.waiting() {
                        Some(typed) => self.typed(typed).await?,
                        None => self.settle(Came::Alone).await?,
                    }
                }
                _ = interrupts.recv() => self.interrupted().await?,
            };
            match goes {
                Goes::On => {}
                Goes::Out => break,
            }
            if let Goes::Out = self.carry_out().await? {
                break;
            }
        }
        let name = &self.opened.name;
        self.screen
            .show(&format!("To go on: postern code --resume {name}\n"));
        Ok(())
    }

    fn history(&mut self) {
        for before in std::mem::take(&mut self.opened.history) {
            match before {
                Before::Mine { key, text } => self.screen.show(&self.view.mine(key, &text)),
                Before::Postern { key, body } => {
                    let drawn = self.view.message(&key, &body);
                    self.draw(drawn, &key, &body);
                }
            }
        }
    }

    async fn reconnect(&mut self) -> Result<Goes, Stop> {
        let out = self
            .view
            .aside("Postern went away; waiting until it is back …");
        self.screen.show(&out);
        // What was asked before is shown again, or is over.
        self.let_go();
        let opened = self.connection.again(&self.open).await?;
        self.busy = opened.busy;
        self.opened = opened;
        self.screen.show(&self.view.aside("Postern is back."));
        self.history();
        self.prompt();
        Ok(Goes::On)
    }

    async fn hears(&mut self, line: &Value) -> Result<Goes, Stop> {
        let text = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
        match what(line) {
            "message" => {
                let (key, body) = (text("key").to_owned(), body(line));
                let drawn = self.view.message(&key, &body);
                self.draw(drawn, &key, &body);
                self.answer_ended().await?;
                self.prompt();
            }
            "edit" => {
                let (key, body) = (text("on").to_owned(), body(line));
                if self.asked.as_ref().is_some_and(|asked| asked.key == key) {
                    self.let_go();
                }
                let drawn = self.view.edit(&key, &body);
                self.draw(drawn, &key, &body);
                self.answer_ended().await?;
            }
            "partial" => self.screen.show(&self.view.partial(text("text"))),
            "notice" => {
                self.screen.show(&self.view.aside(text("text")));
                self.prompt();
            }
            "idle" => {
                self.busy = false;
                self.say_kept().await?;
                if self.ended && !self.busy {
                    return Ok(Goes::Out);
                }
                self.prompt();
            }
            TOOK => self.took(line),
            _ => {}
        }
        Ok(Goes::On)
    }

    /// Shows what was drawn; a card takes the input from then on.
    fn draw(&mut self, drawn: Drawn, key: &str, body: &Value) {
        match drawn {
            Drawn::Nothing => {}
            Drawn::Text(text) => self.screen.show(&text),
            Drawn::Card => {
                // Whatever was typed before it stands there answers nothing.
                let mut early: Vec<_> = self.held.take().into_iter().collect();
                early.extend(self.input.drain());
                let now = Instant::now();
                let Some(asked) = Asked::of(key, body, now) else {
                    return;
                };
                self.screen.show(&self.view.card(body, &asked));
                for typed in early {
                    match typed.line {
                        Some(line) => self.follow_early(asked.hears(Some(&line), now, typed.came)),
                        None => self.ended = true,
                    }
                }
                self.asked = Some(asked);
            }
        }
    }

    /// Carries out the commands that were typed at a question.
    async fn carry_out(&mut self) -> Result<Goes, Stop> {
        while let Some(command) = self.commands.pop_front() {
            match command.trim() {
                QUIT | EXIT => return Ok(Goes::Out),
                command => self.say(command.to_owned()).await?,
            }
        }
        Ok(Goes::On)
    }

    async fn typed(&mut self, typed: input::Typed) -> Result<Goes, Stop> {
        match typed.line {
            Some(_) => self.view.entered(),
            None => self.ended = true,
        }
        if self.asked.is_some() {
            return self.typed_at_question(typed).await;
        }
        self.before = Some(typed.at);
        let Some(line) = typed.line else {
            // A person who ends the input leaves; a script waits for what it asked.
            return Ok(match self.input.by_hand || !self.busy {
                true => Goes::Out,
                false => Goes::On,
            });
        };
        let line = line.trim();
        match line {
            "" => {
                self.prompt();
                return Ok(Goes::On);
            }
            QUIT | EXIT => return Ok(Goes::Out),
            _ => {}
        }
        if let Some(token) = self.view.chosen(line) {
            let id = fresh_id()?;
            self.connection.say(Typed::Press { id, token }).await?;
        } else if self.busy && !self.input.by_hand {
            // A script's lines are one turn each.
            self.kept.push_back(line.to_owned());
        } else {
            self.say(line.to_owned()).await?;
        }
        Ok(Goes::On)
    }

    async fn say_kept(&mut self) -> Result<(), Stop> {
        let by_hand = self.input.by_hand;
        while let Some(words) = self.kept.pop_front() {
            self.say(words).await?;
            if !by_hand {
                break;
            }
        }
        Ok(())
    }

    async fn say(&mut self, text: String) -> Result<(), Stop> {
        self.busy |= !is_command(&text);
        let id = fresh_id()?;
        self.view.typed(said_as(&id));
        self.connection.say(Typed::Say { id, text }).await
    }

    async fn interrupted(&mut self) -> Result<Goes, Stop> {
        if self.asked.is_none() && !self.busy {
            return Ok(Goes::Out);
        }
        self.say("/stop".to_owned()).await?;
        Ok(Goes::On)
    }

    fn took(&mut self, line: &Value) {
        if let Some(id) = line.get("id").and_then(Value::as_str) {
            self.connection.took(id);
        }
        if let Some(wrong) = line.get("wrong").and_then(Value::as_str) {
            self.screen.show(&self.view.aside(wrong));
        }
    }

    fn prompt(&mut self) {
        if !self.input.by_hand {
            return;
        }
        match (&self.asked, self.busy) {
            (Some(_), _) => self.screen.show(&self.view.asks_on()),
            (None, false) => self.screen.show(&self.view.prompt()),
            (None, true) => {}
        }
    }
}

/// Leave the terminal. The conversation goes on.
const QUIT: &str = "/quit";
const EXIT: &str = "/exit";

/// A script hears by the exit code whether it was answered, and whether all was done.
fn said(answered: bool, unapproved: i64) -> Result<(), Stop> {
    match (unapproved, answered) {
        (0, true) => Ok(()),
        (0, false) => Err(Stop::Shown),
        (calls, _) => Err(Stop::Unapproved(calls)),
    }
}

fn fresh_id() -> Result<String, Stop> {
    let id: [u8; 12] = chance::bytes().map_err(Stop::from)?;
    Ok(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn what(line: &Value) -> &str {
    line.get("what").and_then(Value::as_str).unwrap_or_default()
}

fn body(line: &Value) -> Value {
    line.get("body").cloned().unwrap_or_default()
}
