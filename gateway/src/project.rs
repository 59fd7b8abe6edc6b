//! Which rules does a folder bring along? Its `coder_policy.json`, read afresh.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bot_policy::rules::ProjectRules;
use rustix::fs::OFlags;

use crate::rulebook::RulebookError;

/// The name of a folder's own rule file.
const FILE_NAME: &str = "coder_policy.json";
/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 256 * 1024;

/// The rule file that a folder brings along.
#[derive(Debug)]
pub(crate) struct Project {
    /// Where it is.
    pub(crate) file: PathBuf,
    /// What it holds, to the letter.
    pub(crate) text: String,
    /// What that says.
    pub(crate) rules: ProjectRules,
}

impl Project {
    /// What lies in a folder that belongs to a conversation; none where there is no file.
    ///
    /// # Errors
    /// When there is something that cannot be read as rules: nothing may run there then.
    pub(crate) fn find(folder: &Path) -> Result<Option<Self>, RulebookError> {
        let file = folder.join(FILE_NAME);
        let text = match read(&file) {
            Ok(text) => text,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(RulebookError::Unreadable { file, why }),
        };
        match ProjectRules::parse(&text) {
            Ok(rules) => Ok(Some(Self { file, text, rules })),
            Err(why) => Err(RulebookError::NotRules { file, why }),
        }
    }
}

/// Neither follows a link out of the folder nor waits for the other end of a pipe.
fn read(file: &Path) -> io::Result<String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let open = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(file)
        .map_err(|why| match rustix::io::Errno::from_io_error(&why) {
            Some(rustix::io::Errno::LOOP) => io::Error::other("it is a link"),
            Some(_) | None => why,
        })?;
    if !open.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    open.take(FILE_LIMIT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_LIMIT {
        return Err(io::Error::other(format!("it is over {FILE_LIMIT} bytes")));
    }
    Ok(text)
}
