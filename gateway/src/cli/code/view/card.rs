//! How does a question look at a terminal? From the very left, and everything in it behind a bar.

use serde_json::Value;

use super::super::asked::Asked;
use super::super::gutter;
use super::{View, text};
use crate::config::code::Look;

impl View {
    /// A question, with what can be typed.
    pub(in crate::cli::code) fn card(&mut self, card: &Value, asked: &Asked) -> String {
        let mut out = self.break_off();
        let (top, bar, _) = self.frame();
        let title = text(card, "title");
        if self.look == Look::Full {
            let rule = "═".repeat(self.width.saturating_sub(top.chars().count() + 2).min(50));
            out.push_str(&format!("{}\n", self.paint.strong(&format!("{top}{rule}"))));
        }
        let mut line = |label: &str, value: &str| {
            let mut lines = value.split('\n');
            let first = format!("{label:<8}{}", lines.next().unwrap_or_default());
            gutter::lines(bar, &first, self.width, &mut out);
            let below = format!("{bar}        ");
            for more in lines {
                gutter::difference(self.paint, &below, more, self.width, &mut out);
            }
        };
        let fields = card.get("fields").and_then(Value::as_array);
        let fields = fields.map_or(&[][..], Vec::as_slice);
        for field in fields
            .iter()
            .filter(|field| text(field, "label") == FOR_WHOM)
        {
            line("Agent:", text(field, "value"));
        }
        line("Action:", &format!("{} ({title})", action(title)));
        let offered = |label: &str| label.ends_with("to deny") || label.starts_with("All like");
        for field in fields {
            let (label, value) = (text(field, "label"), text(field, "value"));
            match label {
                // The folder of this terminal stands at its top.
                FOR_WHOM | FOLDER => {}
                "cmd" => line("", &format!("$ {value}")),
                _ if offered(label) => {}
                _ if value.contains('\n') => line("", &format!("{label}:\n{value}")),
                _ => line("", &format!("{label}: {value}")),
            }
            if let Some(cut) = field.get("cut").and_then(Value::as_u64) {
                line("", &format!("… {cut} characters are not shown here"));
            }
        }
        let reasons = card.get("reasons").and_then(Value::as_array);
        let rule = text(card, "rule");
        for why in reasons.into_iter().flatten().filter_map(Value::as_str) {
            line(if why == rule { "Rule:" } else { "Why:" }, why);
        }
        let mut keys = vec!["[y] yes, once".to_owned()];
        if asked.offers_always() {
            keys.push(format!("[a] always ({})", text(card, "always")));
        }
        keys.push("[n] no".to_owned());
        if asked.offers_never() {
            let blocks = fields
                .iter()
                .find(|field| text(field, "label").ends_with("to deny"));
            let blocks = blocks.map_or(title, |field| text(field, "value"));
            keys.push(format!("[d] always block ({blocks})"));
        }
        if asked.offers_all() {
            keys.push(":all shows everything".to_owned());
        }
        let between = match self.look {
            Look::Full => "\n",
            Look::Minimal => "   ",
        };
        line("Answer:", &keys.join(between));
        out.push_str(&self.asks_on());
        out
    }

    /// An answer came before the question had stood there for a moment.
    pub(in crate::cli::code) fn too_soon(&mut self) -> String {
        let (_, bar, _) = self.frame();
        let told = "too soon to be an answer to this; type it again";
        let mut out = String::new();
        gutter::lines(bar, told, self.width, &mut out);
        out.push_str(&self.asks_on());
        out
    }

    fn frame(&self) -> (&'static str, &'static str, &'static str) {
        match self.look {
            Look::Full => ("╔═ Postern asks ", "║ ", "╚═ "),
            Look::Minimal => ("? ", "? ", "? "),
        }
    }

    /// Where the answer is typed.
    pub(in crate::cli::code) fn asks_on(&mut self) -> String {
        let (_, _, end) = self.frame();
        match std::mem::replace(&mut self.prompted, true) {
            true => String::new(),
            false => format!("{end}> "),
        }
    }
}

/// What a call does, in words.
fn action(title: &str) -> &str {
    match title {
        "@coder exec" => "Run a command",
        "@coder test" => "Run the tests",
        "@coder write" => "Write a file",
        "@coder patch" => "Change a file",
        "@coder read" => "Read a file",
        "@coder search" => "Search the files",
        "@coder tree" => "List files and folders",
        other => other,
    }
}

/// The label under which a card names a worker.
const FOR_WHOM: &str = "for whom";
/// The label under which it names the folder.
const FOLDER: &str = "in folder";
