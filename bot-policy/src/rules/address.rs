//! Does a rule on a web address speak of this one? As widely as any reader of addresses takes one
//! apart: scheme, `www.`, user, escapes and last dots are no way around it.

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::path;
use crate::rules::pattern::begins;
use crate::site;

/// Whether an address may be at the host of the one that is wanted, or below it, and at its path
/// or below. None where neither is an address.
pub(super) fn maybe(wanted: &str, value: &str) -> Option<bool> {
    let is_address = |text: &str| text.contains("://") || text.starts_with("//");
    if !is_address(wanted) && !is_address(value) {
        return None;
    }
    let wanted = Parts::of(wanted)?;
    let Some(value) = Parts::of(value) else {
        return Some(value.to_lowercase().contains(&wanted.host));
    };
    let below = value.host.strip_suffix(&wanted.host);
    let host = below.is_some_and(|more| more.is_empty() || more.ends_with('.'));
    let port = match (wanted.port, value.port) {
        (Some(wanted), Some(value)) => wanted == value,
        (None, _) | (_, None) => true,
    };
    let path = match (wanted.path, value.path) {
        (Some(wanted), Some(value)) => wanted == "/" || begins(&value, &wanted),
        (None, _) | (_, None) => true,
    };
    Some(host && port && path)
}

/// An address, taken apart.
struct Parts {
    host: String,
    /// As it is written; none where the scheme says it.
    port: Option<u16>,
    /// In its normal form; none where it climbs out.
    path: Option<String>,
}

impl Parts {
    fn of(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let text = text.trim().replace('\\', "/");
        let rest = match text.split_once(':') {
            Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphabetic()) => rest,
            Some(_) | None => &text,
        };
        let rest = rest.trim_start_matches('/');
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(at)?;
        let authority = unescaped(authority);
        let place = authority
            .rsplit_once('@')
            .map_or(authority.as_str(), |(_, place)| place);
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
            Some(_) | None => (place, None),
        };
        let host = site::spelled(host).trim_end_matches('.').to_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host);
        let host = numbered(host)
            .or_else(|| site::ascii(host))
            .unwrap_or_else(|| host.to_owned());
        let path = unescaped(path).to_lowercase();
        (!host.is_empty()).then(|| Self {
            host,
            port,
            path: path::normal(&format!("/{path}")),
        })
    }
}

/// An address in numbers in the one way that it is compared, whatever way it is written in.
fn numbered(host: &str) -> Option<String> {
    if let Some(six) = host.strip_prefix('[') {
        let six: Ipv6Addr = six.trim_end_matches(']').parse().ok()?;
        let four = six.to_ipv4_mapped().map(|four| four.to_string());
        return Some(four.unwrap_or_else(|| format!("[{six}]")));
    }
    let parts: Vec<&str> = host.split('.').take(5).collect();
    let (last, first) = parts.split_last()?;
    let room = 4_u32.checked_sub(u32::try_from(first.len()).ok()?)?;
    let last = u64::from(number(last)?);
    if room == 0 || (room < 4 && last >= 1 << (8 * room)) {
        return None;
    }
    let mut bits = u32::try_from(last).ok()?;
    for (at, part) in first.iter().enumerate() {
        let byte = u32::from(u8::try_from(number(part)?).ok()?);
        bits |= byte << (24 - 8 * at);
    }
    Some(Ipv4Addr::from_bits(bits).to_string())
}

/// A number in base ten, sixteen (`0x`) or eight (`0`).
fn number(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => u32::from_str_radix(digits, 8).ok(),
        Some(_) | None => text.parse().ok(),
    }
}

/// Escapes taken back once; what is none stays.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let meant = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            (_, _) => None,
        };
        match meant {
            Some((high, low)) => {
                bytes.push(high * 16 + low);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}
