//! How are faces told to Discord? There is no plain text: whatever is sent passes its Markdown. So
//! each character that could mean something is escaped, and only our own marks are not.

use url::Url;

use crate::rich::{Face, Limits, Rich, units};

/// What one message shows: as it is sent, and what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) content: String,
    pub(super) plain: String,
}

/// Cuts a text into what single messages show. What grows too long by its escapes is cut again.
pub(super) fn pieces(rich: &Rich) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in rich.cut(LIMITS) {
        fit(&part, &mut pieces);
    }
    pieces
}

/// How long a text is as it is sent, in UTF-16 units.
pub(super) fn sent_units(rich: &Rich) -> usize {
    units(&content(rich))
}

fn fit(rich: &Rich, pieces: &mut Vec<Piece>) {
    let content = content(rich);
    let (sent, own) = (units(&content), rich.units());
    if sent <= MOST_UNITS || own <= SHORTEST {
        return pieces.push(Piece {
            content,
            plain: rich.text().to_owned(),
        });
    }
    let less = own.saturating_mul(MOST_UNITS * 9 / 10) / sent;
    let limits = Limits {
        units: less.clamp(SHORTEST, own - 1),
        ..LIMITS
    };
    for part in rich.cut(limits) {
        fit(&part, pieces);
    }
}

/// The text in the platform's Markdown.
fn content(rich: &Rich) -> String {
    let mut out = String::new();
    let mut stretches = rich.stretches().peekable();
    while let Some((text, face)) = stretches.next() {
        match &face.pre {
            Some(language) if !text.contains("``") => {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                let language = language.as_deref().unwrap_or("");
                out.push_str(&format!("```{language}\n{text}\n```"));
            }
            // It would end its own fence.
            Some(_) => out.push_str(&wholly_escaped(text)),
            None => {
                let next = stretches.peek().and_then(|(text, _)| text.chars().next());
                lines(&mut out, text, face, next);
            }
        }
    }
    out
}

/// Sets a stretch line by line: marks do not hold over a break, and each line of a quote begins
/// with its sign.
fn lines(out: &mut String, text: &str, face: &Face, next: Option<char>) {
    let mut parts = text.split('\n').peekable();
    let mut first = true;
    while let Some(line) = parts.next() {
        if !std::mem::take(&mut first) {
            out.push('\n');
        }
        let start = out.is_empty() || out.ends_with('\n');
        if start && face.quote && !(line.is_empty() && parts.peek().is_none()) {
            out.push_str("> ");
        }
        let next = if parts.peek().is_some() { None } else { next };
        set(out, line, face, start, next);
    }
}

/// Sets text of one line: blanks stay outside of its marks, which do not hold around them.
fn set(out: &mut String, text: &str, face: &Face, start: bool, next: Option<char>) {
    let inner = text.trim();
    let Some(at) = text.find(inner).filter(|_| !inner.is_empty()) else {
        return out.push_str(text);
    };
    let (lead, rest) = text.split_at_checked(at).unwrap_or(("", text));
    let (inner, trail) = rest.split_at_checked(inner.len()).unwrap_or((rest, ""));
    out.push_str(lead);
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '*');
    let inside = joins(out.chars().next_back()) || joins(trail.chars().next().or(next));
    let signs = [
        (face.strike, "~~"),
        (face.bold, "**"),
        (face.italic, if inside { "*" } else { "_" }),
    ];
    for (_, sign) in signs.iter().filter(|(on, _)| *on) {
        out.push_str(sign);
    }
    let link = face.link.as_ref().map(Url::as_str).filter(|link| {
        link.starts_with("http") && link.len() <= LONGEST_LINK && !link.contains(['<', '>', '`'])
    });
    match link {
        Some(link) if link == inner => out.push_str(&format!("<{link}>")),
        Some(link) => out.push_str(&format!("[{}](<{link}>)", wholly_escaped(inner))),
        None if face.code && !inner.contains('`') => out.push_str(&format!("`{inner}`")),
        None if face.code || face.link.is_some() => out.push_str(&wholly_escaped(inner)),
        None => out.push_str(&escaped(inner, start && lead.is_empty())),
    }
    for (_, sign) in signs.iter().rev().filter(|(on, _)| *on) {
        out.push_str(sign);
    }
    out.push_str(trail);
}

/// The text with everything escaped that the platform's Markdown would read, but for addresses,
/// which stand in angle brackets.
fn escaped(text: &str, start: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (at, word) in text.split_inclusive(char::is_whitespace).enumerate() {
        let (before, link, after) = address(word).unwrap_or((word, "", ""));
        // What begins a list, or small print.
        if start && at == 0 && before.starts_with(['-', '+']) {
            out.push('\\');
        }
        special_escaped(&mut out, before);
        if !link.is_empty() {
            out.push_str(&format!("<{link}>"));
        }
        special_escaped(&mut out, after);
    }
    out
}

fn special_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        if SPECIAL.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The text with all its signs escaped: nothing of it is an address or means anything. A backslash
/// holds before whatever is no letter, digit or blank.
fn wholly_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// An address in a word, with what is before and after it.
fn address(word: &str) -> Option<(&str, &str, &str)> {
    let at = word.find("http://").or_else(|| word.find("https://"))?;
    let (before, rest) = word.split_at_checked(at)?;
    let end = rest
        .trim_end()
        .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '"', '*', '_']);
    let (link, after) = rest.split_at_checked(end.len())?;
    let stands_alone = !before.ends_with(char::is_alphanumeric);
    let plain = !link.contains(['<', '>', '\\', '`', '|']) && Url::parse(link).is_ok();
    (plain && stands_alone).then_some((before, link, after))
}

/// Characters that mean something inside a line.
const SPECIAL: &str = "\\*_~`|<>[]()#@";
/// Longest text of a message (platform reference, Create Message: "up to 2000 characters"), counted
/// in UTF-16 units, which are never fewer.
pub(super) const MOST_UNITS: usize = 2000;
/// What is this short is never cut again, whatever its marks take.
const SHORTEST: usize = 64;
/// A longer address is not hidden under a text.
const LONGEST_LINK: usize = 500;
const LIMITS: Limits = Limits {
    units: MOST_UNITS,
    marks: 200,
    weight: |_| 1,
};
