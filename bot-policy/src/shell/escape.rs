//! What does a text with backslashes mean? As `$'…'`, `echo -e` and `printf` read them.

/// Decodes backslash escapes; what is no escape stays.
pub(super) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            decoded.push(letter);
            continue;
        }
        let (base, most) = match letters.peek() {
            Some('x') => (16, 2),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some('0'..='7') => (8, 3),
            Some(_) | None => {
                match letters.next() {
                    Some('n') => decoded.push('\n'),
                    Some('t') => decoded.push('\t'),
                    Some('r') => decoded.push('\r'),
                    Some('e' | 'E') => decoded.push('\u{1b}'),
                    Some(quote @ ('\'' | '"' | '\\' | '?')) => decoded.push(quote),
                    Some(other) => decoded.extend(['\\', other]),
                    None => decoded.push('\\'),
                }
                continue;
            }
        };
        if base == 16 {
            letters.next();
        }
        let mut value = 0_u32;
        let mut read = 0;
        while let Some(digit) = letters.peek().and_then(|next| next.to_digit(base)) {
            if read == most {
                break;
            }
            value = value.saturating_mul(base).saturating_add(digit);
            read += 1;
            letters.next();
        }
        decoded.push(char::from_u32(value).unwrap_or('\u{fffd}'));
    }
    decoded
}
