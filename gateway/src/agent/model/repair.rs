//! What did the model mean to write? Arguments whose only fault are lone backslashes, mended.

/// The text with the backslashes doubled in each string that holds an escape which JSON does not
/// have, as in `"C:\dir"` or `"\d+"`; none when there is nothing to mend. It is decided for each
/// string: one bad escape means that all its backslashes stand for themselves, but those before a
/// quote and those doubled already.
pub fn repaired(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut changed = false;
    while let Some((before, after)) = rest.split_once('"') {
        let (inside, beyond) = string(after)?;
        mended.push_str(before);
        mended.push('"');
        if has_bad_escape(inside) {
            changed = true;
            double(inside, &mut mended);
        } else {
            mended.push_str(inside);
        }
        mended.push('"');
        rest = beyond;
    }
    mended.push_str(rest);
    changed.then_some(mended)
}

/// The text up to the quote that closes it, and what is behind that quote.
fn string(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

fn has_bad_escape(inside: &str) -> bool {
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            continue;
        }
        match letters.next() {
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {}
            Some('u') => {
                let code: String = letters.clone().take(4).collect();
                if code.len() != 4 || !code.chars().all(|c| c.is_ascii_hexdigit()) {
                    return true;
                }
            }
            Some(_) | None => return true,
        }
    }
    false
}

fn double(inside: &str, into: &mut String) {
    let mut letters = inside.chars().peekable();
    while let Some(letter) = letters.next() {
        into.push(letter);
        if letter != '\\' {
            continue;
        }
        match letters.peek() {
            Some('"' | '\\') => into.extend(letters.next()),
            Some(_) | None => into.push('\\'),
        }
    }
}
