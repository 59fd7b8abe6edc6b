//! Does this text hold something with the shape of a well-known secret? One pass, word by word.

/// Where such things stand; spans may overlap.
pub(super) fn found(text: &str) -> Vec<(usize, usize)> {
    let mut spans = pems(text);
    let mut bearer = false;
    let mut start = None;
    let end = std::iter::once((text.len(), ' '));
    for (at, c) in text.char_indices().chain(end) {
        let of_token = c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        match (of_token, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text.get(from..at).unwrap_or_default();
                let long = bearer && word.len() >= BEARER_BYTES;
                if long || is_token(word) {
                    spans.push((from, at));
                }
                bearer = word.eq_ignore_ascii_case("bearer") && c == ' ';
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    spans.extend(userinfo(text));
    spans
}

fn is_token(word: &str) -> bool {
    let word = word.trim_matches(['.', '=', '/', '~', '+']);
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let prefixed = PREFIXES.iter().any(|(prefix, least)| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= *least
                && rest
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        })
    });
    prefixed || is_cloud_key(word) || is_jwt(word)
}

fn is_cloud_key(word: &str) -> bool {
    word.len() == 20
        && (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

fn is_jwt(word: &str) -> bool {
    let mut parts = word.split('.');
    let (head, body, sign, more) = (parts.next(), parts.next(), parts.next(), parts.next());
    let is_object = |part: Option<&str>| part.is_some_and(|part| part.starts_with("eyJ"));
    is_object(head) && is_object(body) && sign.is_some() && more.is_none()
}

/// Key blocks, from their first line to their last, or to the end where that is missing.
fn pems(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(BEGIN)) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        let label = rest
            .get(BEGIN.len()..)
            .and_then(|rest| rest.split_once("-----"));
        if label.is_none_or(|(label, _)| !label.ends_with("PRIVATE KEY")) {
            at = start + BEGIN.len();
            continue;
        }
        let end = rest.find(END).and_then(|end| {
            let tail = rest.get(end + END.len()..)?;
            Some(start + end + END.len() + tail.find("-----")? + "-----".len())
        });
        let end = end.unwrap_or(text.len());
        spans.push((start, end));
        at = end;
    }
    spans
}

/// The password in `scheme://name:password@host`.
fn userinfo(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    for (at, _) in text.match_indices("://") {
        let from = at + "://".len();
        let rest = text.get(from..).unwrap_or_default();
        let rest = rest
            .get(..rest.floor_char_boundary(USERINFO_BYTES))
            .unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c));
        let host = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        let password = host.rfind('@').and_then(|until| {
            let name = host.get(..until)?;
            Some((from + name.find(':')? + 1, from + until))
        });
        spans.extend(password.filter(|(start, end)| start < end));
    }
    spans
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const BEARER_BYTES: usize = 8;
/// How far a password is looked for, so that many addresses in a row stay cheap.
const USERINFO_BYTES: usize = 512;

/// How tokens begin, and how many characters follow at least.
const PREFIXES: [(&str, usize); 17] = [
    ("AIza", 30),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghr_", 30),
    ("ghs_", 30),
    ("ghu_", 30),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("hf_", 30),
    ("npm_", 30),
    ("postern_", 60),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk_live_", 16),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
];
