//! How does a Code conversation look at a terminal?

use std::collections::{BTreeMap, BTreeSet};

use bot_policy::visible;
use serde_json::Value;

use super::super::screen::Paint;
use super::gutter::{self, Gutter};
use crate::code::protocol::{Before, Opened};
use crate::config::code::Look;

mod card;

/// What is drawn of a message.
pub(super) enum Drawn {
    /// It is a question that waits: drawn by itself, once the input is quiet.
    Card,
    /// It stands there already.
    Nothing,
    /// This.
    Text(String),
}

/// What a script gets of a message.
pub(super) enum Plain {
    /// What else is said.
    Aside(String),
    /// It has it already, or it says nothing.
    Nothing,
    /// The words of an answer.
    Reply(String),
}

/// The look of a terminal, and what stands on it.
pub(super) struct View {
    paint: Paint,
    look: Look,
    width: usize,
    /// The answer that is being written, as far as it stands there.
    partial: Option<(Gutter, String)>,
    seen: BTreeSet<String>,
    /// What came of the cards that are over, as far as it was shown, by the message that shows them.
    ended: BTreeMap<String, String>,
    /// The newest line of Postern's own.
    newest: String,
    /// The buttons of the newest line that has some.
    choices: Vec<String>,
    /// Whether a prompt stands at the end of the screen.
    prompted: bool,
}

impl View {
    pub(super) fn new(paint: Paint, look: Look) -> Self {
        Self {
            paint,
            look,
            width: width(),
            partial: None,
            seen: BTreeSet::new(),
            ended: BTreeMap::new(),
            newest: String::new(),
            choices: Vec::new(),
            prompted: false,
        }
    }

    /// What stands at the top.
    pub(super) fn banner(&self, opened: &Opened, sheet: bool) -> String {
        let folder = visible::line(&opened.folder);
        let mut out = match self.look {
            Look::Full => format!(
                "{} in {folder} ({})\n",
                self.paint.strong("Code conversation"),
                opened.name
            ),
            Look::Minimal => format!("{folder} ({})\n", opened.name),
        };
        if let Some(link) = &opened.link {
            out.push_str(&format!("{link}\n"));
        }
        if sheet && self.look == Look::Full {
            out.push_str(SHEET);
        }
        out
    }

    /// What was typed here stands on the screen already.
    pub(super) fn typed(&mut self, key: String) {
        self.seen.insert(key);
    }

    /// What was typed before.
    pub(super) fn mine(&mut self, key: String, text: &str) -> String {
        if !self.seen.insert(key) {
            return String::new();
        }
        let mut out = self.break_off();
        gutter::lines("› ", text, self.width, &mut out);
        out
    }

    /// Where the next words are typed.
    pub(super) fn prompt(&mut self) -> String {
        if std::mem::replace(&mut self.prompted, true) {
            return String::new();
        }
        "› ".to_owned()
    }

    /// A line was typed, so the prompt before it is used up.
    pub(super) fn entered(&mut self) {
        self.prompted = false;
    }

    /// A passing line of Postern's.
    pub(super) fn aside(&mut self, text: &str) -> String {
        let mut out = self.break_off();
        text.clone_into(&mut self.newest);
        let bar = self.paint.dim("  · ");
        gutter::lines(&bar, text, self.width, &mut out);
        out
    }

    /// An instruction was kept.
    pub(super) fn kept(&mut self, words: &str) -> String {
        self.aside(&format!("kept for the next turn: {words}"))
    }

    /// The words of an answer, as far as they are written.
    pub(super) fn partial(&mut self, text: &str) -> String {
        let mut out = String::new();
        let more = match &self.partial {
            Some((_, shown)) => text.strip_prefix(shown.as_str()),
            None => Some(text),
        };
        // What was shown is taken back only by the whole answer.
        let Some(more) = more.filter(|more| !more.is_empty()) else {
            return out;
        };
        if self.partial.is_none() {
            out.push_str(&self.break_off());
        }
        let bar = self.bar();
        let width = self.width;
        let (gutter, shown) = self
            .partial
            .get_or_insert_with(|| (Gutter::new(bar, width), String::new()));
        gutter.write(more, &mut out);
        shown.push_str(more);
        out
    }

    /// A new message.
    pub(super) fn message(&mut self, key: &str, body: &Value) -> Drawn {
        if !self.seen.insert(key.to_owned()) {
            return self.edit(key, body);
        }
        match kind(body) {
            "card" => self.card_or_end(key, body),
            "reply" => Drawn::Text(self.reply(body)),
            "file" => Drawn::Text(self.aside(&format!("a file was sent: {}", text(body, "text")))),
            _ => Drawn::Text(self.notice(body)),
        }
    }

    /// A message that shows something else now.
    pub(super) fn edit(&mut self, key: &str, body: &Value) -> Drawn {
        match kind(body) {
            "card" => self.card_or_end(key, body),
            _ => Drawn::Nothing,
        }
    }

    fn card_or_end(&mut self, key: &str, card: &Value) -> Drawn {
        let outcome = text(card, "outcome").to_owned();
        if outcome.is_empty() {
            return Drawn::Card;
        }
        let before = self.ended.insert(key.to_owned(), outcome.clone());
        let more = outcome.strip_prefix(before.as_deref().unwrap_or_default());
        let more = more.unwrap_or(&outcome).trim_start_matches(" · ");
        // What came of a deed mostly has a line of its own already.
        if more.is_empty() || (before.is_some() && self.newest.ends_with(more)) {
            return Drawn::Nothing;
        }
        let mut out = self.break_off();
        let bar = match self.look {
            Look::Full => "╚═ ",
            Look::Minimal => "= ",
        };
        let said = format!("{}: {more}", text(card, "title"));
        gutter::lines(bar, &said, self.width, &mut out);
        Drawn::Text(out)
    }

    fn reply(&mut self, body: &Value) -> String {
        let whole = text(body, "text");
        let mut out = String::new();
        match self.partial.take() {
            Some((mut gutter, shown)) => match whole.strip_prefix(shown.as_str()) {
                Some(rest) => {
                    gutter.write(rest, &mut out);
                    gutter.end(&mut out);
                }
                None => {
                    gutter.end(&mut out);
                    gutter::lines(&self.bar(), whole, self.width, &mut out);
                }
            },
            None => {
                out.push_str(&self.break_off());
                gutter::lines(&self.bar(), whole, self.width, &mut out);
            }
        }
        let footer = text(body, "footer");
        if !footer.is_empty() {
            gutter::lines(&self.paint.dim("  · "), footer, self.width, &mut out);
        }
        out
    }

    fn notice(&mut self, body: &Value) -> String {
        let mut out = self.break_off();
        let (first, rest) = match text(body, "text").split_once('\n') {
            Some((first, rest)) => (first, rest),
            None => (text(body, "text"), ""),
        };
        gutter::lines("• ", first, self.width, &mut out);
        first.clone_into(&mut self.newest);
        for line in rest.lines() {
            gutter::difference(self.paint, &self.bar(), line, self.width, &mut out);
        }
        let choices = body.get("choices").and_then(Value::as_array);
        let choices = choices.map_or(&[][..], Vec::as_slice);
        if !choices.is_empty() {
            self.choices = choices
                .iter()
                .map(|one| text(one, "token").to_owned())
                .collect();
            for (number, one) in (1..).zip(choices) {
                let label = visible::line(text(one, "label"));
                out.push_str(&format!("    :{number}  {label}\n"));
            }
        }
        out
    }

    /// The button that a line like `:2` means.
    pub(super) fn chosen(&self, line: &str) -> Option<String> {
        let number: usize = line.strip_prefix(':')?.parse().ok()?;
        self.choices.get(number.checked_sub(1)?).cloned()
    }

    /// What stood there before this terminal asked, when only an answer is wanted.
    pub(super) fn passed(&mut self, before: &Before) {
        if let Before::Postern { key, .. } = before {
            self.seen.insert(key.clone());
        }
    }

    /// What a script gets of a message.
    pub(super) fn plain(&mut self, key: &str, body: &Value) -> Plain {
        if !self.seen.insert(key.to_owned()) {
            return Plain::Nothing;
        }
        let said = visible::show(text(body, "text"));
        match kind(body) {
            "reply" => Plain::Reply(format!("{said}\n")),
            // What was done is in the answer.
            "notice" if !said.as_str().starts_with(['✓', '✗', '!']) => {
                Plain::Aside(said.to_string())
            }
            _ => Plain::Nothing,
        }
    }

    fn bar(&self) -> String {
        self.paint.dim("  │ ")
    }

    /// Ends whatever line is open. What follows is as wide as the terminal is by now.
    fn break_off(&mut self) -> String {
        self.width = width();
        let mut out = String::new();
        match self.partial.take() {
            Some((mut gutter, _)) => gutter.end(&mut out),
            None => out.push_str(&self.clear_prompt()),
        }
        out
    }

    /// A prompt that stands there is left on a line of its own.
    fn clear_prompt(&mut self) -> String {
        match std::mem::replace(&mut self.prompted, false) {
            true => match self.paint {
                Paint::Colour => "\r\u{1b}[2K".to_owned(),
                Paint::Plain => "\n".to_owned(),
            },
            false => String::new(),
        }
    }
}

fn kind(body: &Value) -> &str {
    text(body, "kind")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The width of the terminal, in columns.
fn width() -> usize {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let told = told
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0);
    told.unwrap_or(80)
}

const SHEET: &str = "  Type what you want done. While I work, more words change my course; Ctrl-C
  stops me. A question takes y (yes, once), a (always), n (no) or d (always
  block); Enter alone is no.
  /link  go on from your phone   /new   start fresh   /policy  when I ask
  /why   what I read             /help  all of them   /quit    leave (or Ctrl-D)
";
