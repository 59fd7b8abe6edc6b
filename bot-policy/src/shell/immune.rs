//! Which things ask every time, whatever the rules say? Paths that hold keys or run the machine,
//! and letters that look like others.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use unicode_general_category::{GeneralCategory, get_general_category};

use super::{Immune, Kind};

/// Why a path of any tool asks every time; none where it does not.
pub fn path(path: &str) -> Option<&'static str> {
    credential(path).or_else(|| is_system(path).then_some("it names a folder of the system"))
}

fn is_system(path: &str) -> bool {
    if !path.starts_with(['/', '\\']) {
        return false;
    }
    let mut folded = path.to_lowercase().replace('\\', "/");
    folded.push('/');
    let begins = |path: &str| SYSTEM.iter().any(|folder| path.starts_with(folder));
    begins(&folded) || crate::path::normal(&folded).is_some_and(|path| begins(&format!("{path}/")))
}

/// Why a path, or a word that holds one, names keys or passwords.
pub(super) fn credential(text: &str) -> Option<&'static str> {
    let mark = |byte: &u8| matches!(byte, b'.' | b'/' | b'\\' | b'_');
    let bytes = text.as_bytes();
    if !bytes.iter().any(mark) {
        return None;
    }
    let direct = key(text);
    let mut pairs = bytes.iter().zip(bytes.iter().skip(1));
    let may_wind = bytes.contains(&b'\\')
        || pairs.any(|(one, two)| *one == b'/' && matches!(two, b'.' | b'/'));
    if direct.is_some() || !may_wind {
        return direct;
    }
    let path = text.replace('\\', "/");
    key(&path).or_else(|| key(&crate::path::normal(&path)?))
}

/// What is named, where nothing but the end or another segment follows.
fn key(path: &str) -> Option<&'static str> {
    let bytes = path.as_bytes();
    let mut pairs = bytes.iter().zip(bytes.iter().skip(1));
    if !pairs.any(|(one, two)| may_begin(*one, *two)) {
        return None;
    }
    let Some(finder) = FINDER.as_ref() else {
        return Some("it may name keys");
    };
    finder.find_overlapping_iter(path).find_map(|found| {
        let ends = matches!(path.as_bytes().get(found.end()), None | Some(b'/'));
        let (_, why) = KEYS.get(found.pattern().as_usize())?;
        ends.then_some(*why)
    })
}

/// Whether one of [`KEYS`] has these letters among its first three: most texts hold none.
fn may_begin(one: u8, two: u8) -> bool {
    let two = two.to_ascii_lowercase();
    match one.to_ascii_lowercase() {
        b'.' => matches!(
            two,
            b'a' | b'b' | b'c' | b'd' | b'g' | b'k' | b'l' | b'n' | b'p' | b's' | b'z'
        ),
        b'/' => matches!(two, b'e' | b'r'),
        b'd' => two == b'_',
        _ => false,
    }
}

/// What is wrong with the letters of a line: hidden ones, and such as steer how it is shown.
pub(super) fn letters(line: &str) -> Option<(Kind, Immune, String)> {
    if line.is_ascii()
        && !line
            .bytes()
            .any(|b| b.is_ascii_control() && b != b'\n' && b != b'\t')
    {
        return None;
    }
    let mut asks = None;
    for letter in line.chars() {
        if matches!(letter, '\n' | '\t') || letter.is_ascii_graphic() {
            continue;
        }
        let code = u32::from(letter);
        let is_bidi = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || is_bidi {
            let because = format!("it holds a hidden character (U+{code:04X})");
            return Some((Kind::Obscured, Immune::No, because));
        }
        let is_hidden = match get_general_category(letter) {
            GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Unassigned => {
                true
            }
            GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => letter != ' ',
            _ => matches!(letter, '\u{ff01}'..='\u{ff5e}'),
        };
        if is_hidden {
            asks.get_or_insert(code);
        }
    }
    asks.map(|code| {
        let because = format!("it holds a character that looks like another (U+{code:04X})");
        (Kind::Obscured, Immune::Yes, because)
    })
}

/// What is wrong with the letters of a program's name.
pub(super) fn disguised_program(text: &str) -> Option<String> {
    let odd = text.chars().find(|letter| !letter.is_ascii())?;
    Some(looks_like_another(text, odd))
}

/// What is wrong with the letters of a flag, or of what looks like one.
pub(super) fn disguised_flag(text: &str) -> Option<String> {
    let odd = text.chars().find(|letter| !letter.is_ascii())?;
    let first = text.chars().next()?;
    let is_dash =
        get_general_category(first) == GeneralCategory::DashPunctuation || first == '\u{2212}';
    let is_flag = is_dash && (first != '-' || !text.contains(['=', ' ']));
    is_flag.then(|| looks_like_another(text, odd))
}

fn looks_like_another(text: &str, odd: char) -> String {
    format!(
        "\"{text}\" holds a character that may look like another (U+{:04X})",
        u32::from(odd)
    )
}

const KEYS: [(&str, &str); 25] = [
    (".ssh", "it names SSH keys"),
    (".gnupg", "it names a key ring"),
    (".aws", "it names cloud keys"),
    (".azure", "it names cloud keys"),
    (".config/gcloud", "it names cloud keys"),
    (".kube/config", "it names cluster keys"),
    (".netrc", "it names saved passwords"),
    (".npmrc", "it names saved passwords"),
    (".pypirc", "it names saved passwords"),
    (".pgpass", "it names saved passwords"),
    (".git-credentials", "it names saved passwords"),
    (".docker/config.json", "it names saved passwords"),
    (".password-store", "it names saved passwords"),
    (".config/gh", "it names saved passwords"),
    (".cargo/credentials", "it names saved passwords"),
    (".cargo/credentials.toml", "it names saved passwords"),
    (".local/share/keyrings", "it names a key ring"),
    (".bash_history", "it names what was typed before"),
    (".zsh_history", "it names what was typed before"),
    ("id_ecdsa", "it names SSH keys"),
    ("/run/credentials", "it names the secrets of services"),
    ("id_rsa", "it names SSH keys"),
    ("id_ed25519", "it names SSH keys"),
    ("/etc/shadow", "it names the passwords of the machine"),
    ("/environ", "it names the environment of a process"),
];

/// Building it fails only where the list above is too large, and then everything names keys.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(KEYS.map(|(part, _)| part))
        .ok()
});

const SYSTEM: [&str; 5] = ["/boot/", "/dev/", "/etc/", "/proc/", "/sys/"];
