//! What does a person read of Markdown, and what of it can they press?

/// The text that stands on the screen.
pub fn displayed(source: &str) -> String {
    read(source).0
}

/// The addresses that can be pressed.
pub fn pressable(source: &str) -> Vec<String> {
    read(source).1
}

fn read(source: &str) -> (String, Vec<String>) {
    let (mut out, mut links) = (String::new(), Vec::new());
    let mut rest = source;
    while let Some(at) = fence(rest) {
        inline(&rest[..at], &mut out, &mut links);
        let inside = &rest[at + 3..];
        let Some(end) = inside.find("```") else {
            inline(&rest[at..], &mut out, &mut links);
            return (out, links);
        };
        let block = &inside[..end];
        let body = match block.split_once('\n') {
            Some((language, body)) if !language.contains(char::is_whitespace) => body,
            _ => block,
        };
        out.push_str(body.strip_suffix('\n').unwrap_or(body));
        rest = &inside[end + 3..];
    }
    inline(rest, &mut out, &mut links);
    (out, links)
}

/// Where the next fence begins, if it is not escaped.
fn fence(source: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = source[from..].find("```") {
        let at = from + at;
        let slashes = source[..at]
            .chars()
            .rev()
            .take_while(|c| *c == '\\')
            .count();
        if slashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn inline(source: &str, out: &mut String, links: &mut Vec<String>) {
    let mut rest = source;
    let mut line_start = out.is_empty() || out.ends_with('\n');
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if line_start {
            line_start = false;
            if let Some(quoted) = ["> ", "# ", "## ", "### ", "-# "]
                .iter()
                .find_map(|sign| rest.strip_prefix(sign))
            {
                rest = quoted;
                line_start = true;
                continue;
            }
            if let Some(item) = rest.strip_prefix("- ").or_else(|| rest.strip_prefix("* ")) {
                out.push_str("• ");
                rest = item;
                continue;
            }
        }
        match c {
            '\\' if after.starts_with(|c: char| !c.is_alphanumeric() && !c.is_whitespace()) => {
                let next = after.chars().next().unwrap();
                out.push(next);
                rest = &after[next.len_utf8()..];
            }
            '`' => {
                let run = rest.chars().take_while(|c| *c == '`').count();
                let sign = &rest[..run];
                match rest[run..].find(sign) {
                    Some(end) => {
                        out.push_str(&rest[run..run + end]);
                        rest = &rest[run + end + run..];
                    }
                    None => {
                        out.push_str(sign);
                        rest = &rest[run..];
                    }
                }
            }
            '<' if after.starts_with("http://") || after.starts_with("https://") => {
                let end = after.find('>').unwrap_or(after.len());
                out.push_str(&after[..end]);
                links.push(after[..end].to_owned());
                rest = after.get(end + 1..).unwrap_or("");
            }
            '[' => match masked(rest) {
                Some((text, link, after)) => {
                    out.push_str(&displayed(text));
                    links.push(link.to_owned());
                    rest = after;
                }
                None => {
                    out.push(c);
                    rest = after;
                }
            },
            '*' | '_' => rest = after,
            '~' if after.starts_with('~') => rest = &after[1..],
            '|' if after.starts_with('|') => rest = &after[1..],
            'h' if rest.starts_with("http://") || rest.starts_with("https://") => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || c == '<')
                    .unwrap_or(rest.len());
                out.push_str(&rest[..end]);
                links.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
            _ => {
                out.push(c);
                line_start = c == '\n';
                rest = after;
            }
        }
    }
}

/// `[text](address)` or `[text](<address>)`.
fn masked(source: &str) -> Option<(&str, &str, &str)> {
    let mut escaped = false;
    for (at, c) in source.char_indices().skip(1) {
        if escaped {
            escaped = false;
            continue;
        }
        match c {
            '\\' => escaped = true,
            ']' => {
                let link = source[at + 1..].strip_prefix('(')?;
                let (link, after) = match link.strip_prefix('<') {
                    Some(link) => link.split_once(">)")?,
                    None => link.split_once(')')?,
                };
                let address = link.starts_with("http://") || link.starts_with("https://");
                return address.then_some((&source[1..at], link, after));
            }
            '\n' => return None,
            _ => {}
        }
    }
    None
}
