//! Which programs are of one kind?

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

pub(super) fn is_downloader(program: &str) -> bool {
    DOWNLOADERS.contains(&program)
}

pub(super) fn is_network(program: &str) -> bool {
    is_downloader(program) || NETWORK.contains(&program)
}

/// What destroys when it is given many files.
pub(super) fn is_destroyer(program: &str) -> bool {
    DESTROYERS.contains(&program) || program.starts_with("mkfs")
}

const SHELLS: [&str; 14] = [
    "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "sh",
    "tcsh", "zsh",
];

const DOWNLOADERS: [&str; 13] = [
    "aria2c", "axel", "curl", "curlie", "fetch", "ftp", "http", "https", "httpie", "lftp", "lynx",
    "wget", "xh",
];

const NETWORK: [&str; 19] = [
    "dig", "host", "mail", "mutt", "nc", "ncat", "netcat", "nslookup", "ping", "rclone", "rsync",
    "scp", "sendmail", "sftp", "socat", "ssh", "telnet", "tftp", "whois",
];

const DESTROYERS: [&str; 14] = [
    "dd", "del", "halt", "mkswap", "poweroff", "reboot", "rm", "rmdir", "shred", "shutdown", "srm",
    "truncate", "unlink", "wipefs",
];
