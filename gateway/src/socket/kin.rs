//! Did the gateway start this process? Read from the parents of the process, all the way up.

use std::fs;
use std::io;

use rustix::process::{Pid, set_child_subreaper};

/// More parents than a real process has.
const GENERATIONS: usize = 1024;

/// Where a process comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descent {
    /// The gateway is among its parents, or it is the gateway.
    OfTheGateway,
    /// It is not.
    Stranger,
}

/// Has the system hand orphaned descendants to the gateway rather than to process 1, so that
/// leaving its parent does not make a child a stranger.
pub(super) fn keep_orphans(gateway: Pid) -> io::Result<()> {
    Ok(set_child_subreaper(Some(gateway))?)
}

/// Whether a process descends from the gateway. A process that is gone, or whose parents cannot
/// be read, is an error: the caller refuses it.
pub(super) fn descends(pid: Pid, gateway: Pid) -> io::Result<Descent> {
    let gateway = gateway.as_raw_nonzero().get();
    let mut pid = pid.as_raw_nonzero().get();
    for _ in 0..GENERATIONS {
        if pid == gateway {
            return Ok(Descent::OfTheGateway);
        }
        match parent(pid)? {
            0 => return Ok(Descent::Stranger),
            next => pid = next,
        }
    }
    Err(io::Error::other("it has no end of parents"))
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
