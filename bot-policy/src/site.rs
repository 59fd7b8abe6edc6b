//! Is this host the one that a person takes it for? Names that hide, imitate or only resemble
//! another are told.

use core::net::Ipv4Addr;
use std::cell::Cell;
use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::punycode;

/// The longest host that is read, in bytes; a name on the net is at most 253.
pub const HOST_BYTES: usize = 253;
/// The longest address that is taken note of, in bytes.
pub const ADDRESS_BYTES: usize = 2048;

/// A warning for the card of a host whose name does not read as it looks; none for a plain one.
pub fn warning(host: &str) -> Option<&'static str> {
    let is_encoded = host.split('.').any(|label| {
        label
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
    });
    if is_encoded {
        Some("this name stands for one in another script")
    } else if !host.is_ascii() {
        Some("this name has letters outside ASCII that may look like others")
    } else {
        None
    }
}

/// The host as the net knows it: lower case, other scripts in punycode, no dot at the end. None
/// where it cannot be a host.
pub fn ascii(host: &str) -> Option<String> {
    on_the_net(host, &Cell::new(0))
}

fn on_the_net(host: &str, steps: &Cell<usize>) -> Option<String> {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.is_empty() || host.len() > HOST_BYTES {
        return None;
    }
    steps.update(|steps| steps + host.len());
    let labels: Option<Vec<String>> = host
        .to_lowercase()
        .split('.')
        .map(|label| punycode::encode(label, steps))
        .collect();
    let host = labels?.join(".");
    let odd =
        |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '[' | ']' | ':'));
    (!host.contains(odd) && host.len() <= HOST_BYTES).then_some(host)
}

/// The name that somebody registered, of which the host is a part: `example.co.uk` of
/// `a.example.co.uk`. An address in numbers or a bare suffix is its own. None where it cannot be a
/// host.
pub fn domain(host: &str) -> Option<String> {
    registered(host, &Cell::new(0))
}

fn registered(host: &str, steps: &Cell<usize>) -> Option<String> {
    let host = on_the_net(host, steps)?;
    // No ending on the net is made of digits alone.
    let ends_in_digits = host
        .rsplit('.')
        .next()
        .is_some_and(|label| label.bytes().all(|b| b.is_ascii_digit()));
    let numbers = host.starts_with('[') || ends_in_digits;
    let registered = psl::domain_str(&host).filter(|_| !numbers);
    Some(registered.unwrap_or(&host).to_owned())
}

/// The host of an address, without name, password and port. None where it has none.
pub fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let rest = rest.get(..end)?;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = match rest.strip_prefix('[') {
        Some(inner) => rest.get(..inner.find(']')? + 2)?,
        None => rest.split_once(':').map_or(rest, |(host, _)| host),
    };
    (!host.is_empty()).then_some(host)
}

/// The registrable domain of an address; the whole address where it has none.
pub(crate) fn domain_of(address: &str) -> String {
    host(address)
        .and_then(domain)
        .unwrap_or_else(|| address.to_owned())
}

/// An address in the one way it is compared: scheme and host in lower case, no part after `#`, at
/// least `/` as path. None where it is no plain web address: names and passwords, signs that
/// readers take apart differently, too long.
pub fn whole(address: &str) -> Option<String> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>');
    if address.len() > ADDRESS_BYTES || address.contains(odd) {
        return None;
    }
    let (scheme, rest) = address.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return None;
    }
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(at)?;
    if authority.contains('@') {
        return None;
    }
    let name = host(address)?;
    let port = authority.strip_prefix(name)?;
    let port = match (scheme.as_str(), port) {
        ("http", ":80") | ("https", ":443") => "",
        (_, port) => port,
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{scheme}://{}{port}{slash}{path}", ascii(name)?))
}

/// Whether an address names one host whoever reads it: no escape, no number in another form, no
/// dot at the end, nothing that could be a name or password.
pub fn is_plain(address: &str) -> bool {
    let (Some(whole), Some(written)) = (whole(address), host(address)) else {
        return false;
    };
    let Some(name) = host(&whole) else {
        return false;
    };
    let spelled = written.is_ascii() || spelled(written).as_str() == written;
    let last = name.rsplit('.').next().unwrap_or_default();
    let starts_as_number = last.starts_with(|c: char| c.is_ascii_digit());
    spelled
        && !written.ends_with('.')
        && (!starts_as_number || name.parse::<Ipv4Addr>().is_ok() || !is_number(last))
}

/// Why an address is not read at all, in words for the model; none where it is plain.
pub fn oddity(address: &str) -> Option<&'static str> {
    if is_plain(address) {
        return None;
    }
    let Some((scheme, rest)) = address.split_once(':') else {
        return Some(NO_ADDRESS);
    };
    if !["http", "https"]
        .iter()
        .any(|web| web.eq_ignore_ascii_case(scheme))
    {
        return Some(NOT_THE_WEB);
    }
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next();
    let names = authority.is_some_and(|authority| authority.contains('@'));
    Some(if names { NAMES_A_PERSON } else { ODD })
}

/// What is said of a text that is no address.
pub const NO_ADDRESS: &str = "that is no address; write it whole, with https://";
/// What is said of an address for something else than pages.
pub const NOT_THE_WEB: &str = "only addresses with http:// or https:// are fetched";
/// What is said of an address that holds a name or a password.
pub const NAMES_A_PERSON: &str = "an address with a name or a password in it is not fetched";
/// What is said of an address that readers take apart differently.
pub const ODD: &str = "that address can be read in more than one way; write it plainly, as in https://example.org/page";

/// A host as the net reads letters and dots of other widths.
pub(crate) fn spelled(host: &str) -> String {
    host.nfkc().collect::<String>().replace('\u{3002}', ".")
}

fn is_number(label: &str) -> bool {
    let digits = label.strip_prefix("0x").unwrap_or(label);
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (digits.len() < label.len() || label.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The addresses that stand whole in a text.
pub(crate) fn addresses(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '<' | '>' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '`' | '|'
            )
    };
    text.split(parts)
        .map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']))
        .filter_map(whole)
}

/// What is odd about a host beside the sites that the owner knows, in words for a card: another
/// script, and each known site that it resembles without being part of it.
pub fn warnings(host: &str, known: &BTreeSet<String>) -> Vec<String> {
    told(host, known, &Cell::new(0))
}

/// How many steps it takes to look for [`warnings`]; none for what is longer than [`HOST_BYTES`].
pub fn steps(host: &str, known: &BTreeSet<String>) -> usize {
    let steps = Cell::new(0);
    told(host, known, &steps);
    steps.get()
}

fn told(host: &str, known: &BTreeSet<String>, steps: &Cell<usize>) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let Some(plain) = on_the_net(host, steps) else {
        return vec!["this is no name that the net knows".to_owned()];
    };
    if let Some(warning) = warning(host) {
        told.push(format!("{warning}; on the net it is {plain}"));
    }
    let Some(domain) = registered(&plain, steps) else {
        return told;
    };
    if known
        .iter()
        .any(|site| registered(site, steps).as_deref() == Some(domain.as_str()))
    {
        return told;
    }
    told.extend(known.iter().filter_map(|site| {
        let site = registered(site, steps)?;
        let how = resembles(&plain, &domain, &site, steps)?;
        Some(format!("this is not {site}: {how}"))
    }));
    told
}

/// How a host resembles a site that it is no part of.
fn resembles(host: &str, domain: &str, site: &str, steps: &Cell<usize>) -> Option<&'static str> {
    let name = |domain: &str| {
        domain
            .split_once('.')
            .map_or(domain, |(name, _)| name)
            .to_owned()
    };
    let (mine, theirs) = (name(domain), name(site));
    if mine == theirs {
        return Some("the name is the same, the ending is another");
    }
    let looks = skeleton(&theirs, steps);
    if skeleton(&mine, steps) == looks {
        return Some("letters in it only look like those of the other");
    }
    let inside = format!(".{host}.").contains(&format!(".{site}."));
    let parts = || host.split(['.', '-']);
    if inside || (theirs.len() >= SHORTEST && parts().any(|part| skeleton(part, steps) == looks)) {
        return Some("it only has the other's name inside its own");
    }
    let far = match theirs.chars().count() {
        0..SHORTEST => 0,
        SHORTEST..LONG => 1,
        _ => 2,
    };
    (far > 0 && is_near(&mine, &theirs, far, steps)).then_some("it is a letter or two away")
}

/// A label with what looks alike made the same: other scripts, digits for letters, marks dropped.
pub(crate) fn skeleton(label: &str, steps: &Cell<usize>) -> String {
    let label = punycode::decode(label, steps).unwrap_or_else(|| label.to_owned());
    let plain: String = label
        .to_lowercase()
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| {
            steps.update(|steps| steps + 1);
            ALIKE
                .iter()
                .find(|(from, _)| *from == c)
                .map_or(c, |(_, to)| *to)
        })
        .collect();
    plain
        .replace("rn", "m")
        .replace("vv", "w")
        .replace("cl", "d")
}

/// Whether at most `far` letters are changed, left out, added or swapped. Labels are short, so the
/// table is.
fn is_near(one: &str, other: &str, far: usize, steps: &Cell<usize>) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > far {
        return false;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        steps.update(|steps| steps + other.len());
        for (j, b) in other.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let changed = at(&row, j) + usize::from(a != b);
            let mut best = changed.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped =
                i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().is_some_and(|distance| *distance <= far)
}

/// Names shorter than this resemble too much.
const SHORTEST: usize = 4;
/// From here on two letters may differ.
const LONG: usize = 8;

/// Signs that look like a Latin letter.
const ALIKE: [(char, char); 41] = [
    ('0', 'o'),
    ('1', 'l'),
    ('3', 'e'),
    ('4', 'a'),
    ('5', 's'),
    ('7', 't'),
    ('8', 'b'),
    ('i', 'l'),
    ('|', 'l'),
    ('\u{131}', 'l'),
    ('\u{142}', 'l'),
    ('\u{251}', 'a'),
    ('\u{261}', 'g'),
    ('\u{3b1}', 'a'),
    ('\u{3b5}', 'e'),
    ('\u{3b9}', 'l'),
    ('\u{3ba}', 'k'),
    ('\u{3bd}', 'v'),
    ('\u{3bf}', 'o'),
    ('\u{3c1}', 'p'),
    ('\u{3c4}', 't'),
    ('\u{3c5}', 'u'),
    ('\u{3c7}', 'x'),
    ('\u{430}', 'a'),
    ('\u{435}', 'e'),
    ('\u{43a}', 'k'),
    ('\u{43c}', 'm'),
    ('\u{43d}', 'h'),
    ('\u{43e}', 'o'),
    ('\u{440}', 'p'),
    ('\u{441}', 'c'),
    ('\u{442}', 't'),
    ('\u{443}', 'y'),
    ('\u{445}', 'x'),
    ('\u{432}', 'b'),
    ('\u{455}', 's'),
    ('\u{456}', 'l'),
    ('\u{458}', 'j'),
    ('\u{4bb}', 'h'),
    ('\u{501}', 'd'),
    ('\u{51b}', 'q'),
];
