//! How are faces told to WhatsApp? As marks inside the text. The app reads marks everywhere and
//! knows no way to say that one is meant literally, so a word that it would take for marked up is
//! set in fixed width, where it reads none.

use bot_policy::message::Addresses;

use crate::rich::{Face, Limits, Rich, broken_addresses, units};

/// Cuts a text into what single messages of so many UTF-16 units show, marks included.
pub(super) fn pieces(rich: &Rich, addresses: Addresses, most: usize) -> Vec<String> {
    within(rich, addresses, most, most)
}

/// The whole text as one message would show it.
pub(super) fn marked(rich: &Rich, addresses: Addresses) -> String {
    let mut writer = Writer::default();
    let mut stretches = rich.stretches().peekable();
    while let Some((text, face)) = stretches.next() {
        let text = match addresses {
            Addresses::Inert => text
                .split_inclusive(char::is_whitespace)
                .map(|word| match leads_nowhere(word.trim_end()) {
                    true => word.to_owned(),
                    false => broken_addresses(word),
                })
                .collect(),
            Addresses::Live => text.to_owned(),
        };
        match &face.pre {
            Some(_) => writer.write_exactly(&text),
            None => writer.write(&text, face),
        }
        // Nothing hides where it leads: the address stands behind its text.
        let next = stretches.peek().and_then(|(_, next)| next.link.as_ref());
        if let Some(link) = face.link.as_ref().filter(|link| next != Some(link))
            && text.trim() != link.as_str()
            && link.as_str().len() <= LONGEST_LINK
        {
            writer.write(&format!(" ({link})"), &Face::default());
        }
    }
    writer.end()
}

fn within(rich: &Rich, addresses: Addresses, most: usize, try_first: usize) -> Vec<String> {
    let limits = Limits {
        units: try_first,
        marks: usize::MAX,
        weight: |_| 0,
    };
    let cut = rich.cut(limits);
    let fitted = cut.iter().flat_map(|piece| {
        let text = marked(piece, addresses);
        if units(&text) <= most || try_first < SMALLEST {
            vec![text]
        } else {
            within(piece, addresses, most, try_first / 2)
        }
    });
    fitted.filter(|text| !text.is_empty()).collect()
}

/// Writes text with marks. A mark goes on over spaces, and over the ends of lines only in a fence.
#[derive(Default)]
struct Writer {
    out: String,
    open: &'static str,
    /// White space that comes before whatever is written next.
    gap: String,
}

impl Writer {
    fn write(&mut self, text: &str, face: &Face) {
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            if !bare.is_empty() {
                let begins = self.begins_a_line();
                let mark = match face.code || is_read(bare, begins) {
                    true if bare.contains('`') => FENCE,
                    true => "`",
                    false => mark(face),
                };
                self.open(mark);
                if begins && face.quote {
                    self.close();
                    self.out.push_str("> ");
                    self.open(mark);
                }
                self.put(bare);
            }
            self.gap.push_str(word.get(bare.len()..).unwrap_or(""));
        }
    }

    /// Writes text that is shown exactly as it is.
    fn write_exactly(&mut self, text: &str) {
        self.open(FENCE);
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        match self.open {
            FENCE => self.out.push_str(&text.replace('`', FREE_TICK)),
            _ => self.out.push_str(text),
        }
    }

    fn open(&mut self, mark: &'static str) {
        let gap = std::mem::take(&mut self.gap);
        if self.open == mark && (mark == FENCE || !gap.contains('\n')) {
            self.out.push_str(&gap);
            return;
        }
        self.close();
        self.out.push_str(&gap);
        self.out.push_str(mark);
        self.open = mark;
    }

    fn close(&mut self) {
        self.out.extend(self.open.chars().rev());
        self.open = "";
    }

    fn begins_a_line(&self) -> bool {
        self.gap.ends_with('\n')
            || (self.gap.is_empty() && (self.out.is_empty() || self.out.ends_with('\n')))
    }

    fn end(mut self) -> String {
        self.close();
        self.out
    }
}

fn mark(face: &Face) -> &'static str {
    match (face.bold, face.italic, face.strike) {
        (false, false, false) => "",
        (true, false, false) => "*",
        (false, true, false) => "_",
        (false, false, true) => "~",
        (true, true, false) => "*_",
        (true, false, true) => "*~",
        (false, true, true) => "_~",
        (true, true, true) => "*_~",
    }
}

/// Whether the app would read a mark in this word. One inside of a word is none, nor is one that
/// stands alone, unless a line begins with it.
fn is_read(word: &str, begins_a_line: bool) -> bool {
    if word.contains('`') {
        return true;
    }
    if matches!(word, ">" | "-" | "*" | "_" | "~") {
        return begins_a_line;
    }
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut before = None;
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let inside = joins(before) && joins(chars.peek().copied());
        if matches!(c, '*' | '_' | '~') && !inside {
            return true;
        }
        before = Some(c);
    }
    begins_a_line && word.starts_with('>')
}

/// Whether the app makes nothing of a word that others would.
fn leads_nowhere(word: &str) -> bool {
    names_a_file(word) || names_a_tool(word)
}

/// Whether a word is the name of a tool. The app mentions people by their numbers and links whole
/// addresses of mail; an `@` before a plain word is neither.
fn names_a_tool(word: &str) -> bool {
    let word = word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ':'));
    word.strip_prefix('@').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
    })
}

/// Whether a word is the path of a file with an ending that is no top-level domain, so that no app
/// takes it for an address.
fn names_a_file(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let named = word.rsplit_once('.').is_some_and(|(path, ending)| {
        !path.contains('.')
            && ENDINGS
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
    });
    named && word.chars().all(fits) && !word.contains("//")
}

/// Endings of files that are in no list of top-level domains (IANA, root zone).
const ENDINGS: [&str; 20] = [
    "bak", "conf", "csv", "docx", "gif", "html", "ini", "jpeg", "jpg", "js", "json", "log", "odt",
    "pdf", "png", "toml", "txt", "xlsx", "xml", "yaml",
];
/// What sets whole lines in fixed width.
const FENCE: &str = "```";
/// A back tick that ends no fence: what follows it is not seen.
const FREE_TICK: &str = "`\u{2060}";
/// The longest address that is shown behind its text.
const LONGEST_LINK: usize = 1000;
/// Units of a piece that is not cut further however long its marks are.
const SMALLEST: usize = 64;
