//! How else may a secret be written? As other writers encode it, wrapped, split or reversed.

use unicode_normalization::UnicodeNormalization;

use crate::secret::SECRET_BYTES;

/// The text without what wraps or splits a word unseen, and where each byte of it stood.
pub(super) fn squeezed(text: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut stood = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let unseen = matches!(
            c,
            '\n' | '\r' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        );
        if !unseen {
            out.push(c);
            stood.extend(at..at + c.len_utf8());
        }
    }
    (out, stood)
}

/// How a form of a secret is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Base64 digits in the middle of a longer run, which is cut whole: its ends hold the rest.
    Base64,
    /// It stands as it is.
    Written,
}

/// A secret as other writers put it.
pub(super) fn written_forms(secret: &str) -> Vec<(String, Kind)> {
    let bytes = secret.as_bytes();
    let json = serde_json::Value::from(secret).to_string();
    let json = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'));
    let json = json.unwrap_or(secret);
    let lower: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let mut forms = vec![
        secret.to_owned(),
        json.to_owned(),
        json.replace('/', "\\/"),
        secret.replace('\n', "\r\n"),
        html(secret),
        lower.to_uppercase(),
        lower,
        percent(bytes, "%20", Digits::Lower),
        percent(bytes, "%20", Digits::Upper),
        percent(bytes, "+", Digits::Lower),
        percent(bytes, "+", Digits::Upper),
        secret.nfc().collect(),
        secret.nfd().collect(),
        secret.chars().rev().collect(),
        squeezed(secret).0,
    ];
    let encoded = (0..3).map(|before| base64(bytes, before));
    let encoded = encoded.flat_map(|form| [form.replace('+', "-").replace('/', "_"), form]);
    let mut forms: Vec<(String, Kind)> = forms
        .drain(..)
        .map(|form| (form, Kind::Written))
        .chain(encoded.map(|form| (form, Kind::Base64)))
        .collect();
    let shortest = bytes.len().min(SECRET_BYTES);
    forms.retain(|(form, _)| form.len() >= shortest);
    forms
}

fn html(secret: &str) -> String {
    secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[derive(Clone, Copy)]
enum Digits {
    Lower,
    Upper,
}

fn percent(bytes: &[u8], blank: &str, digits: Digits) -> String {
    let mut out = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        match (byte, digits) {
            (b' ', _) => out.push_str(blank),
            (b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~', _) => {
                out.push(char::from(*byte));
            }
            (_, Digits::Lower) => out.push_str(&format!("%{byte:02x}")),
            (_, Digits::Upper) => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The base64 digits that bytes surely become when `before` bytes (modulo three) stand before
/// them; the digits at both ends that their neighbours change are left out.
fn base64(bytes: &[u8], before: usize) -> String {
    let mut bits: u32 = 0;
    let mut held = 0;
    // The first digit that holds nothing of what stands before ends this many bits into ours.
    let mut skip = match before {
        1 => 4,
        2 => 2,
        _ => 0,
    };
    let mut out = String::with_capacity(bytes.len() * 4 / 3);
    for byte in bytes {
        bits = (bits << 8 | u32::from(*byte)) & 0xffff;
        held += 8;
        if skip > 0 {
            held -= skip;
            skip = 0;
        }
        while held >= 6 {
            held -= 6;
            let digit = usize::try_from(bits >> held & 0x3f).unwrap_or_default();
            out.extend(BASE64.get(digit).copied().map(char::from));
        }
    }
    out
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
