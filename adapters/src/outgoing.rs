//! What is in a file that is sent? The copy that was made of it, as it was then.

use std::path::PathBuf;

use crate::AdapterError;

/// Reads the copy that lies under its digest.
///
/// # Errors
/// `Refused` when it is larger than `most` bytes, which is the platform's limit, or not there as it
/// was.
pub(crate) async fn read(
    folder: Option<&PathBuf>,
    digest: &str,
    bytes: u64,
    most: u64,
) -> Result<Vec<u8>, AdapterError> {
    let gone = || AdapterError::Refused("the copy of the file is not there any more".to_owned());
    if bytes > most {
        return Err(AdapterError::Refused(format!(
            "the file is larger than {} MB",
            most / 1_000_000
        )));
    }
    let named = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let folder = folder.filter(|_| named).ok_or_else(gone)?;
    let read = tokio::fs::read(folder.join(digest)).await;
    read.ok()
        .filter(|read| u64::try_from(read.len()) == Ok(bytes))
        .ok_or_else(gone)
}
