//! May this process ask? Not when it is another user's, and not when the gateway started it.

use std::fs;
use std::io;

use rustix::process::{Pid, geteuid, getpid, set_child_subreaper};

/// More parents than a real process has.
const GENERATIONS: usize = 1024;

/// Why a process is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The gateway is among its parents, or it is the gateway.
    #[error(
        "what Postern itself started may not ask it; type the command in a terminal of your own"
    )]
    Kin,
    /// Another user's.
    #[error("only the user who runs Postern may ask it; log in as that user")]
    OtherUser,
    /// It cannot be told, as when it has already ended.
    #[error(
        "the system does not say which process is asking; type the command in a terminal of your own"
    )]
    Unknown,
}

/// Why a process of this user and number is not answered, if it is not.
pub fn refuse(uid: u32, pid: Option<i32>, gateway: Pid) -> Option<Refusal> {
    if uid != geteuid().as_raw() {
        return Some(Refusal::OtherUser);
    }
    let Some(mut pid) = pid.filter(|pid| *pid > 0) else {
        return Some(Refusal::Unknown);
    };
    let gateway = gateway.as_raw_nonzero().get();
    for _ in 0..GENERATIONS {
        if pid == gateway {
            return Some(Refusal::Kin);
        }
        match parent(pid) {
            Ok(0) => return None,
            Ok(next) => pid = next,
            Err(_) => return Some(Refusal::Unknown),
        }
    }
    Some(Refusal::Unknown)
}

/// Has the system hand orphaned descendants to this process rather than to process 1, so that
/// leaving its parent does not make a child a stranger.
pub(super) fn keep_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// The fourth field of `/proc/PID/stat`, `man 5 proc_pid_stat`; the second is a name in
/// parentheses that may hold blanks and parentheses itself.
fn parent(pid: i32) -> io::Result<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    stat.rsplit_once(')')
        .and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1))
        .and_then(|ppid| ppid.parse().ok())
        .ok_or_else(|| io::Error::other("its parents cannot be read"))
}
