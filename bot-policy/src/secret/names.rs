//! Does this name promise a secret? Read by its words, however they are joined.

/// Whether what stands under this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let pair = |pair: &[String]| matches!(pair, [one, two] if PAIRS.iter().any(|(a, b)| one == a && two == b));
    if words.windows(2).any(pair) {
        return true;
    }
    let about = |word: Option<&String>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.as_str()))
    };
    let is_one = words.iter().any(|word| SECRET.contains(&word.as_str()));
    is_one && !about(words.last(), &MEASURES) && !about(words.first(), &BOUNDS)
}

/// The environment variable that holds a secret of this name: what a variable cannot have becomes
/// `_`, in capitals, after the prefix.
pub fn variable(prefix: &str, name: &str) -> String {
    let plain = name.chars().map(|c| match c {
        '.' | '-' | '/' => '_',
        c => c.to_ascii_uppercase(),
    });
    prefix.chars().chain(plain).collect()
}

/// The words of a name in lower case: parted by signs and by capitals, without the digits and the
/// plural at their end.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut last: Option<char> = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let begins = c.is_uppercase()
            && last.is_some_and(|last| {
                !last.is_uppercase() || rest.peek().is_some_and(|next| next.is_lowercase())
            });
        if begins || !c.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last = Some(c);
    }
    words.push(word);
    words
        .into_iter()
        .map(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let single = word.strip_suffix('s').filter(|single| {
                SECRET.contains(single) || matches!(*single, "key" | "string" | "seed" | "url")
            });
            single.unwrap_or(word).to_owned()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

const SECRET: [&str; 18] = [
    "accesskey",
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "dsn",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "sas",
    "secret",
    "sessionid",
    "token",
];

const PAIRS: [(&str, &str); 15] = [
    ("access", "key"),
    ("api", "key"),
    ("client", "secret"),
    ("connection", "string"),
    ("database", "url"),
    ("encryption", "key"),
    ("master", "key"),
    ("mfa", "seed"),
    ("private", "key"),
    ("service", "key"),
    ("session", "id"),
    ("signing", "key"),
    ("ssh", "key"),
    ("totp", "seed"),
    ("webhook", "url"),
];

/// Last words that speak about a secret without holding it.
const MEASURES: [&str; 13] = [
    "count", "env", "file", "length", "limit", "method", "name", "path", "policy", "size", "ttl",
    "type", "usage",
];
/// First words that do.
const BOUNDS: [&str; 3] = ["max", "min", "num"];
