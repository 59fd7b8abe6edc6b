//! Where does randomness come from? The operating system, or nowhere.

use bot_policy::id::ButtonToken;

/// Random bytes from the operating system.
///
/// # Errors
/// When the operating system has none to give; nothing that needs them goes on.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// A fresh button token.
///
/// # Errors
/// As [`bytes`].
pub fn token() -> Result<ButtonToken, NoRandomness> {
    Ok(ButtonToken::from_random(bytes()?))
}

/// The operating system gives no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gives no random bytes")]
pub struct NoRandomness;
