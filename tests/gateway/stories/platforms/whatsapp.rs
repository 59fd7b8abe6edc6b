//! WhatsApp, as stories see it.

use std::path::Path;

use fakes::whatsapp::{Fake, Fault, Person, Shown};

use super::Platform;
use crate::stories::chat::Seen;
use crate::stories::whatsapp::{APP_SECRET, TOKEN, VERIFY, settings};
use crate::stories::wrong::{Call, Wrong};

pub struct WhatsApp(Fake);

impl WhatsApp {
    pub async fn start() -> Self {
        Self(Fake::start(TOKEN, APP_SECRET, VERIFY).await)
    }
}

fn who(account: i64) -> Person {
    Person(account.to_string())
}

impl Platform for WhatsApp {
    fn settings(&self, folder: &Path) -> String {
        settings(&self.0, folder, "")
    }

    fn serves(&self, doors: Option<&str>) {
        let doors = doors.expect("an address of doors");
        self.0.post_to(&format!("{doors}/hooks/other"));
    }

    fn enter(&self, account: i64) {
        self.0.person(&who(account).0, "Somebody");
    }

    /// What is said while nobody hears is told again until it is taken.
    fn hears(&self) -> bool {
        true
    }

    fn say(&self, account: i64, text: &str) {
        let person = who(account);
        self.0.say(&person, &person.direct(), text);
    }

    fn press(&self, account: i64, on: &str, token: &str) {
        let person = who(account);
        let chat = person.direct();
        let buttons = self.0.messages(&chat).into_iter();
        let mut buttons = buttons.flat_map(|shown| shown.buttons);
        let known = buttons.find(|(_, known)| known == token);
        let title = known.map_or("Allow once".to_owned(), |(title, _)| title);
        self.0.press_token(&person, &chat, on, &title, token);
    }

    /// Nothing that stands there changes. What is said in answer to one of the bot's own messages is
    /// read as what that has come to, so it stands there with it.
    fn screen(&self, account: i64) -> Vec<Seen> {
        let mut screen: Vec<(Vec<String>, Seen)> = Vec::new();
        for shown in self.0.messages(&who(account).direct()) {
            let answered = shown.answers.as_ref();
            let on = answered.and_then(|on| screen.iter_mut().find(|(ids, _)| ids.contains(on)));
            let new = seen(&shown);
            match on {
                Some((ids, known)) => {
                    ids.push(shown.id);
                    known.text = format!("{}\n{}", known.text, new.text);
                    known.buttons = new.buttons;
                }
                None => screen.push((vec![shown.id], new)),
            }
        }
        screen.into_iter().map(|(_, seen)| seen).collect()
    }

    fn events(&self) -> Vec<String> {
        self.0.said()
    }

    fn files(&self, account: i64) -> Vec<(String, Vec<u8>)> {
        let shown = self.0.messages(&who(account).direct()).into_iter();
        let files = shown.filter_map(|shown| shown.file);
        files.map(|(_, name, bytes)| (name, bytes)).collect()
    }

    /// What would change a message is a new one there. What became of one whose answer is lost is not
    /// told later either.
    fn goes_wrong(&self, call: Call, wrong: Wrong) {
        if wrong == Wrong::Drop {
            self.0.without_statuses();
        }
        let refuse = |status, code, message: &str| Fault::Refuse {
            status,
            code,
            message: message.to_owned(),
        };
        self.0.inject(match (call, wrong) {
            (Call::Edit | Call::Send, Wrong::Drop) => Fault::Drop,
            (Call::Edit | Call::Send, Wrong::Hang) => Fault::Hang,
            (Call::Edit | Call::Send, Wrong::Refuse) => {
                refuse(400, 131_026, "(#131026) Message undeliverable")
            }
            (Call::Edit | Call::Send, Wrong::Status(status)) => Fault::Status(status),
            (Call::Edit | Call::Send, Wrong::TooMany) => {
                refuse(400, 131_056, "(#131056) Pair rate limit hit")
            }
        });
    }

    fn to_go_wrong(&self, _: Call) -> usize {
        self.0.to_go_wrong()
    }
}

/// A message as somebody reads it: marks are not seen, and what breaks an address is read over.
fn seen(shown: &Shown) -> Seen {
    let pieces = shown.text.split('`').enumerate();
    let text: String = pieces
        .map(|(n, piece)| match n % 2 {
            0 => piece.replace('*', ""),
            _ => piece.replace('\u{2060}', ""),
        })
        .collect();
    let text = [".", ":", "@", "/", "+"]
        .into_iter()
        .fold(text, |text, sign| text.replace(&format!("[{sign}]"), sign));
    Seen {
        key: shown.id.clone(),
        text: match &shown.file {
            Some((_, name, _)) => format!("{text}\n{name}"),
            None => text,
        },
        buttons: shown.buttons.clone(),
    }
}
