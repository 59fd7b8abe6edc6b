//! `postern backup FILE`: everything that was stored, in one file, while the gateway runs or not.

use std::path::PathBuf;

use super::screen::{Screen, Stop, outside};
use super::{existing_data, now};
use crate::store::backup;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file to make; it must not be there yet
    file: PathBuf,
}

pub(super) fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    // SQLite's own files beside the copy are the owner's alone too.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let data = existing_data()?;
    backup(&data, &arguments.file, now())?;
    let shown = arguments.file.display().to_string();
    let (file, data) = (outside(&shown), data.display().to_string());
    let data = outside(&data);
    screen.show(&format!(
        "Saved to {file}.\n\
         It holds conversations, memories, pairings and the audit. It does not hold incognito\n\
         conversations, tokens, postern.toml, policy.json, the files in workspaces, or browsers' sign-ins.\n\
         To restore it: stop Postern, move postern.db, postern.db-wal and postern.db-shm out of\n\
         {data}, copy {file} there as postern.db, start Postern, and let browsers in with: postern pair\n"
    ));
    Ok(())
}
