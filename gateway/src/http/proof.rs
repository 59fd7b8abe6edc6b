//! Does this request come from the platform? A secret in its head is compared before the body is
//! read, a signature over the raw bytes as they came; both in constant time.

use std::time::{SystemTime, UNIX_EPOCH};

use adapters::{Check, Signed};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use bot_policy::secret::Secret;
use hmac::{Hmac, Mac};
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use url::form_urlencoded;

use super::hooks::the_only;

/// It is not, or not by whom the door wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrong;

/// What the head of a request shows: the header of a signature, or a secret that was compared.
pub(super) fn of<'a>(check: &Check, head: &'a Parts) -> Result<&'a [u8], Wrong> {
    match check {
        Check::Ed25519 { header, .. } | Check::HmacSha256 { header, .. } => {
            the_only(&head.headers, header).ok_or(Wrong)
        }
        Check::Query { name, secret } => {
            let pairs = form_urlencoded::parse(head.uri.query().unwrap_or("").as_bytes());
            let mut shown = pairs.filter(|(key, _)| key == name);
            match (shown.next(), shown.next()) {
                (Some((_, shown)), None) => same(shown.as_bytes(), secret).map(|()| &[][..]),
                (_, _) => Err(Wrong),
            }
        }
        Check::Secret { header, secret } => {
            let shown = the_only(&head.headers, header).ok_or(Wrong)?;
            same(shown, secret).map(|()| shown)
        }
    }
}

/// Checks the proof of a request against what it signs.
pub(super) fn check(
    check: &Check,
    proof: &[u8],
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(), Wrong> {
    match check {
        Check::Ed25519 { key, over, .. } => {
            let proof = digits(proof)?;
            let mut whole = before_the_body(*over, headers)?;
            whole.extend_from_slice(body);
            UnparsedPublicKey::new(&ED25519, key)
                .verify(&whole, &proof)
                .map_err(|_| Wrong)
        }
        Check::HmacSha256 {
            keys, prefix, over, ..
        } => {
            let proof = digits(proof.strip_prefix(prefix.as_bytes()).ok_or(Wrong)?)?;
            let before = before_the_body(*over, headers)?;
            let right = keys.iter().filter(|key| !key.reveal().is_empty());
            let right = right
                .filter_map(|key| Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes()).ok())
                .any(|mac| {
                    mac.chain_update(&before)
                        .chain_update(body)
                        .verify_slice(&proof)
                        .is_ok()
                });
            if right { Ok(()) } else { Err(Wrong) }
        }
        Check::Query { .. } | Check::Secret { .. } => Ok(()),
    }
}

fn same(shown: &[u8], secret: &Secret<String>) -> Result<(), Wrong> {
    let secret = secret.reveal().as_bytes();
    let right: bool = shown.ct_eq(secret).into();
    if right && !secret.is_empty() {
        Ok(())
    } else {
        Err(Wrong)
    }
}

fn before_the_body(over: Signed, headers: &HeaderMap) -> Result<Vec<u8>, Wrong> {
    match over {
        Signed::Body => Ok(Vec::new()),
        Signed::Timed {
            time,
            before,
            after,
            within,
        } => {
            let time = the_only(headers, time).ok_or(Wrong)?;
            let said = std::str::from_utf8(time)
                .ok()
                .and_then(|text| text.parse::<u64>().ok());
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_err(|_| Wrong)?;
            if said.ok_or(Wrong)?.abs_diff(now.as_secs()) > within.as_secs() {
                return Err(Wrong);
            }
            Ok([before.as_bytes(), time, after.as_bytes()].concat())
        }
    }
}

/// The bytes that lower-case hexadecimal digits stand for.
fn digits(text: &[u8]) -> Result<Vec<u8>, Wrong> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'a'..=b'f' => Ok(c - b'a' + 10),
        _ => Err(Wrong),
    };
    if text.len() > LONGEST || !text.len().is_multiple_of(2) {
        return Err(Wrong);
    }
    text.chunks_exact(2)
        .map(|pair| {
            pair.iter()
                .try_fold(0_u8, |all, c| Ok(all << 4 | digit(*c)?))
        })
        .collect()
}

/// The digits of the longest signature, Ed25519's.
const LONGEST: usize = 128;
