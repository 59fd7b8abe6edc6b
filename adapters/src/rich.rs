//! Where does a long text end, and what is set how? Text with faces, cut into pieces that each
//! fit one message.
//!
//! Faces stand beside the text, never as markup inside it: nothing in the text can become markup.
//! A face that is cut goes on in the next piece.

use url::Url;

/// How a stretch of text is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Face {
    pub(crate) bold: bool,
    pub(crate) code: bool,
    pub(crate) italic: bool,
    pub(crate) link: Option<Url>,
    /// A block of code, with its language.
    pub(crate) pre: Option<Option<String>>,
    pub(crate) quote: bool,
    pub(crate) strike: bool,
}

impl Face {
    fn is_fixed(&self) -> bool {
        self.pre.is_some() || (self.code && self.link.is_none())
    }
}

/// Text with faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rich {
    text: String,
    /// Where each face ends, in bytes; in order, without gaps.
    runs: Vec<(usize, Face)>,
}

/// What one message holds at most.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// UTF-16 units of text.
    pub(crate) units: usize,
    /// Marks, as `weight` counts them.
    pub(crate) marks: usize,
    /// How many marks one stretch of this face takes.
    pub(crate) weight: fn(&Face) -> usize,
}

impl Rich {
    /// Adds text in one face. Control characters but line breaks and tabs are left out.
    pub(crate) fn push(&mut self, text: &str, face: Face) {
        let clean = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        self.text.extend(text.chars().filter(clean));
        let end = self.text.len();
        match self.runs.last_mut() {
            Some((last, known)) if *known == face => *last = end,
            Some((last, _)) if *last == end => {}
            Some(_) | None => self.runs.push((end, face)),
        }
    }

    /// Whether there is nothing to see.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text alone.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Each stretch of text that is set in one face, in order.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (&str, &Face)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|(end, _)| *end));
        let pairs = starts.zip(&self.runs);
        pairs.map(|(start, (end, face))| (self.text.get(start..*end).unwrap_or_default(), face))
    }

    /// Its length in UTF-16 units.
    pub(crate) fn units(&self) -> usize {
        units(&self.text)
    }

    /// The same text, in which no address, name or command can be pressed: each word that an app
    /// would turn into a link is set in fixed width, where apps look for none.
    pub(crate) fn inert(self) -> Self {
        let mut words = Vec::new();
        let mut at = 0;
        for word in self.text.split_inclusive(char::is_whitespace) {
            let end = at + word.trim_end().len();
            if leads_somewhere(word.trim_end()) {
                words.push((at, end));
            }
            at += word.len();
        }
        let mut inert = Self::default();
        let mut words = words.into_iter().peekable();
        let mut start = 0;
        for (end, face) in &self.runs {
            while start < *end {
                while words.next_if(|(_, stop)| *stop <= start).is_some() {}
                let (stop, fixed) = match words.peek() {
                    Some((from, _)) if start < *from => ((*from).min(*end), false),
                    Some((_, to)) => ((*to).min(*end), true),
                    None => (*end, false),
                };
                let text = self.text.get(start..stop).unwrap_or_default();
                let face = match (fixed && !face.is_fixed(), face.link.is_some()) {
                    (false, false) => face.clone(),
                    (true, _) => Face {
                        code: true,
                        quote: face.quote,
                        ..Face::default()
                    },
                    (false, true) => Face {
                        link: None,
                        ..face.clone()
                    },
                };
                inert.push(text, face);
                start = stop;
            }
        }
        inert
    }

    /// Cuts into pieces, each within the limits. Only white space at the cuts is lost. Linear: what
    /// is looked at again is less than half of a piece.
    pub(crate) fn cut(&self, limits: Limits) -> Vec<Self> {
        let mut pieces = Vec::new();
        let (mut start, mut run) = (0, 0);
        while start < self.text.len() {
            let end = self.end_of_piece(start, run, limits);
            if let Some(piece) = self.piece(start, end, run) {
                pieces.push(piece);
            }
            while self.runs.get(run).is_some_and(|(stop, _)| *stop <= end) {
                run += 1;
            }
            start = end;
        }
        pieces
    }

    fn end_of_piece(&self, start: usize, mut run: usize, limits: Limits) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let weight = |run: usize| {
            self.runs
                .get(run)
                .map_or(0, |(_, face)| (limits.weight)(face))
        };
        let (mut units, mut marks) = (0, weight(run));
        let (mut line, mut word, mut safe) = (None, None, None);
        let mut before = None;
        for (at, c) in rest.char_indices() {
            let here = start + at;
            if self.runs.get(run).is_some_and(|(stop, _)| *stop <= here) {
                run += 1;
                marks += weight(run);
            }
            if before.is_some_and(|before| parts_cleanly(before, c)) {
                safe = Some(here);
            }
            units += c.len_utf16();
            if at > 0 && (units > limits.units || marks > limits.marks) {
                let late = |(_, when): &(usize, usize)| when.saturating_mul(2) >= units;
                return line
                    .filter(late)
                    .or_else(|| word.filter(late))
                    .map(|(end, _)| end)
                    .or_else(|| safe.filter(|end| here - end < 64))
                    .unwrap_or(here);
            }
            let after = (here + c.len_utf8(), units);
            if c == '\n' {
                line = Some(after);
            } else if c.is_whitespace() {
                word = Some(after);
            }
            before = Some(c);
        }
        self.text.len()
    }

    fn piece(&self, start: usize, end: usize, run: usize) -> Option<Self> {
        let whole = self.text.get(start..end)?;
        let text = whole.trim_end().trim_start_matches('\n');
        if text.trim().is_empty() {
            return None;
        }
        let start = start + (whole.trim_end().len() - text.len());
        let end = start + text.len();
        let mut piece = Self::default();
        let mut at = start;
        for (stop, face) in self.runs.iter().skip(run) {
            let stop = (*stop).min(end);
            if stop > at {
                piece.push(self.text.get(at..stop).unwrap_or_default(), face.clone());
                at = stop;
            }
            if at >= end {
                break;
            }
        }
        Some(piece)
    }
}

/// How many UTF-16 units a text has.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The longest start of a text that has at most so many UTF-16 units.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > most {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The same text with its addresses broken, for when faces cannot protect it.
pub(crate) fn broken_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        if leads_somewhere(word.trim_end()) {
            for c in word.chars() {
                match c {
                    '.' | '。' | '．' | '｡' => out.push_str("[.]"),
                    ':' => out.push_str("[:]"),
                    '@' => out.push_str("[@]"),
                    '/' => out.push_str("[/]"),
                    '+' => out.push_str("[+]"),
                    other => out.push(other),
                }
            }
        } else {
            out.push_str(word);
        }
    }
    out
}

/// Whether an app would let a person press something in this word: an address, a name, a number
/// to call, or a command that would then be sent in their own name.
fn leads_somewhere(word: &str) -> bool {
    if word.contains('@') || word.contains("://") {
        return true;
    }
    let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '+');
    let mut chars = bare.chars();
    match chars.next() {
        Some('/') if chars.next().is_some_and(char::is_alphabetic) => return true,
        Some('+') if bare.chars().filter(char::is_ascii_digit).count() > 4 => return true,
        _ => {}
    }
    if let Some((scheme, rest)) = bare.split_once(':')
        && !rest.is_empty()
        && SCHEMES
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return true;
    }
    let (mut dots, mut before) = (0, None);
    for c in bare.chars() {
        if before.is_some_and(is_dot) && c.is_alphanumeric() {
            dots += 1;
            if !c.is_ascii_digit() {
                return true;
            }
        }
        before = Some(c);
    }
    // A number like 3.14 or a version leads nowhere; four numbers may be a machine.
    dots > 2
}

fn is_dot(c: char) -> bool {
    matches!(c, '.' | '。' | '．' | '｡')
}

/// Whether two characters may stand in different messages: nothing that joins them is torn.
fn parts_cleanly(before: char, after: char) -> bool {
    let joins = |c: char| {
        matches!(u32::from(c),
            0x200D | 0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x20D0..=0x20FF | 0xFE00..=0xFE0F
            | 0xFE20..=0xFE2F | 0x1F3FB..=0x1F3FF | 0x1F1E6..=0x1F1FF | 0xE0020..=0xE007F)
    };
    before != '\u{200D}' && !joins(after)
}

/// Schemes that an app follows without two slashes.
const SCHEMES: [&str; 7] = ["mailto", "sms", "tel", "tg", "ton", "tonsite", "xmpp"];
