//! The one digest in use: SHA-256, as hexadecimal text.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// SHA-256 of some bytes, in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same of what only whoever has the key can make again: HMAC-SHA-256.
pub fn keyed(key: &str, bytes: &[u8]) -> String {
    // A key of any length is taken; with none there is no digest.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else {
        return String::new();
    };
    mac.update(bytes);
    digits(&mac.finalize().into_bytes())
}
