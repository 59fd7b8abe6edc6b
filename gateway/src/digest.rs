//! The one digest in use: SHA-256, as hexadecimal text.

use sha2::{Digest, Sha256};

/// SHA-256 of some bytes, in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
