//! What was really done? One line under a reply for each deed, and nothing of the model's that
//! looks like one.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::visible;

/// What a receipt begins with.
pub const SIGN: char = '\u{2713}';
/// What the receipt of a deed begins with of which nobody knows how it ended.
pub const UNKNOWN_SIGN: char = '\u{26A0}';

/// How a deed ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It was done.
    Done,
    /// It was started and nobody knows how it ended.
    Unknown,
}

/// The receipt of one deed: what ran, as rules name it, and what came of it.
pub fn receipt(deed: Deed, head: &str, outcome: &str) -> String {
    let text = match deed {
        Deed::Done if outcome.is_empty() => head.to_owned(),
        Deed::Done => format!("{head}: {outcome}"),
        Deed::Unknown => format!("{head}: its outcome is unknown; please check"),
    };
    let sign = match deed {
        Deed::Done => SIGN,
        Deed::Unknown => UNKNOWN_SIGN,
    };
    let short: String = text.chars().take(RECEIPT_CHARACTERS).collect();
    let more = if short.len() < text.len() {
        "\u{2026}"
    } else {
        ""
    };
    format!("{sign} {}{more}", visible::line(&short))
}

/// The model's text without the lines that look like a receipt: those that begin with a sign of
/// ours or one that resembles it, whatever hidden characters, bullets or markup stand before it.
pub fn without_receipts(markdown: &str) -> String {
    let mut kept = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .find(|(_, c)| breaks(*c))
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !is_receipt(line) {
            kept.push_str(line);
        }
        rest = after;
    }
    kept
}

fn is_receipt(line: &str) -> bool {
    let text = decoded(line);
    // A line break may be written as an entity or as a tag.
    let mut pieces = text
        .split(breaks)
        .flat_map(|piece| piece.split("<br"))
        .map(|piece| piece.trim_start_matches(['/', ' ', '>']));
    pieces.any(begins_with_sign)
}

/// Whether what a reader sees first, after all that only decorates, is a sign.
fn begins_with_sign(text: &str) -> bool {
    let mut rest = text.nfkc().peekable();
    let mut counted = false;
    while let Some(c) = rest.next() {
        if resembles_sign(c) {
            return true;
        }
        if c == '<' {
            // A tag; what is no tag ends with the line.
            rest.by_ref().find(|c| *c == '>');
        } else if c.is_numeric() {
            counted = true;
        } else if c.is_alphabetic() {
            // A list may be counted with a letter.
            let counts = !counted && rest.peek().is_some_and(|next| matches!(next, '.' | ')'));
            if !counts {
                return false;
            }
        } else if counted && !matches!(c, '.' | ')' | ' ' | '\t') && !hidden(c) {
            counted = false;
        }
    }
    false
}

fn resembles_sign(c: char) -> bool {
    matches!(
        c,
        // Check marks, and what is drawn like one.
        '\u{2713}' | '\u{2714}' | '\u{2705}' | '\u{2611}' | '\u{1F5F8}' | '\u{1F5F9}' | '\u{221A}'
            | '\u{1FBB1}' | '\u{237B}' | '\u{2717}' | '\u{2718}' | '\u{2612}' | '\u{1F5F4}' | '\u{1F5F5}'
            | '\u{1F5F6}' | '\u{1F5F7}' | '\u{274E}' | '\u{10102}' | '\u{A78}' | '\u{30EC}' | '\u{2C7}'
            // Warning signs.
            | '\u{26A0}' | '\u{2621}' | '\u{1F6C6}' | '\u{1F6C7}' | '\u{26DB}' | '\u{25EC}' | '\u{1F6D1}'
    )
}

fn hidden(c: char) -> bool {
    matches!(
        get_general_category(c),
        GeneralCategory::Control
            | GeneralCategory::EnclosingMark
            | GeneralCategory::Format
            | GeneralCategory::NonspacingMark
    )
}

fn breaks(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The line with its character references read; each is as short as a name can be.
fn decoded(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let end = from
            .char_indices()
            .take(REFERENCE_CHARACTERS)
            .find(|(_, c)| *c == ';')
            .map(|(end, _)| end);
        let read = end.and_then(|end| Some((end, referred(from.get(1..end)?)?)));
        match read {
            Some((end, c)) => {
                out.push(c);
                rest = from.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

fn referred(name: &str) -> Option<char> {
    let number = name.strip_prefix('#');
    let number = number.map(|digits| match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    });
    match number {
        Some(number) => char::from_u32(number.ok()?),
        None => match name {
            "NewLine" => Some('\n'),
            "check" | "checkmark" | "cross" | "Sqrt" | "radic" => Some(SIGN),
            "lt" | "LT" => Some('<'),
            "gt" | "GT" => Some('>'),
            "nbsp" | "emsp" | "ensp" | "thinsp" | "Tab" | "zwj" | "zwnj" | "shy" => Some(' '),
            _ => None,
        },
    }
}

/// The longest receipt, in characters.
const RECEIPT_CHARACTERS: usize = 160;
/// The longest character reference that is read, in characters.
const REFERENCE_CHARACTERS: usize = 32;
