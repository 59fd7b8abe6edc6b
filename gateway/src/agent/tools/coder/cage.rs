//! What can a command touch? The system and tools are read, Postern's own things and keys are not;
//! the folder alone is written; nothing is reached.
//!
//! Built by bubblewrap (`bwrap`): where it cannot be, commands are not offered until the owner
//! accepts that they run without.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::shown::{self, shown};
use super::walls;

/// Whether commands reach the net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// They have a loopback of their own and nothing else.
    #[default]
    Cut,
    /// They do; what they print is outside content then.
    Open,
}

/// Whether the folder may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// How commands are kept in.
#[derive(Debug)]
pub struct Cage {
    hidden: Vec<PathBuf>,
    network: Network,
    home: Option<PathBuf>,
    why_not: Option<String>,
}

impl Cage {
    /// Looks whether a cage can be built that hides these folders.
    pub async fn build(hidden: Vec<PathBuf>, network: Network) -> Self {
        let mut cage = Self {
            hidden,
            network,
            home: std::env::var_os("HOME").map(PathBuf::from),
            why_not: None,
        };
        cage.why_not = cage.probe().await.err();
        cage
    }

    /// The folders and files that no command sees.
    pub fn hidden(&self) -> &[PathBuf] {
        &self.hidden
    }

    /// Whether commands reach the net.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Why no cage can be built here; none where it can.
    pub fn why_not(&self) -> Option<&str> {
        self.why_not.as_deref()
    }

    async fn probe(&self) -> Result<(), String> {
        let folder = std::env::temp_dir();
        let argv = vec![OsString::from("true")];
        let mut command = self.command(&folder, &folder, argv, Access::Write);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let ran = timeout(PROBE, command.output()).await;
        let ran = ran.map_err(|_| "bwrap does not come back".to_owned())?;
        let ran = ran.map_err(|why| format!("bwrap (bubblewrap) cannot be started: {why}"))?;
        if ran.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let said: String = said.trim().chars().take(200).collect();
        Err(format!("bwrap builds no cage here: {said}"))
    }

    /// The outermost folder whose history a folder is a part of.
    pub(super) fn top(&self, folder: &Path) -> PathBuf {
        shown::top(self.home.as_deref(), folder)
    }

    /// A command inside the cage.
    pub(super) fn command(
        &self,
        folder: &Path,
        at: &Path,
        argv: Vec<OsString>,
        access: Access,
    ) -> Command {
        let mut words: Vec<OsString> = WALLS.iter().map(OsString::from).collect();
        match self.network {
            Network::Cut => words.push("--unshare-net".into()),
            Network::Open => words.extend(["--ro-bind-try".into(), NAMES.into(), NAMES.into()]),
        }
        for path in KERNEL.iter().map(OsString::from) {
            words.extend(["--ro-bind-try".into(), path.clone(), path]);
        }
        for path in shown(self.home.as_deref(), folder) {
            words.extend(["--ro-bind-try".into(), path.clone().into(), path.into()]);
        }
        let mut bind = |how: &str, path: &Path| {
            words.extend([how.into(), path.into(), path.into()]);
        };
        if access == Access::Write {
            if let Some(home) = &self.home {
                CACHES
                    .iter()
                    .for_each(|cache| bind("--bind-try", &home.join(cache)));
            }
            bind("--bind", folder);
            for wall in walls::of_git(folder) {
                words.extend(wall.words());
            }
        } else {
            bind("--ro-bind", folder);
        }
        let keys = KEYS
            .iter()
            .filter_map(|keys| Some(self.home.as_ref()?.join(keys)));
        let keys = keys.chain(SYSTEM_KEYS.iter().map(PathBuf::from));
        let elsewhere = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .into_iter();
        let cargo = elsewhere.flat_map(|home| CARGO_KEYS.map(|keys| home.join(keys)));
        let hidden = self.hidden.iter().cloned().chain(keys).chain(cargo);
        // What is hidden comes last, so that nothing that is shown uncovers it.
        for path in hidden {
            if path.is_dir() {
                words.extend(["--tmpfs".into(), path.into()]);
            } else if path.exists() {
                words.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]);
            }
        }
        words.extend(["--remount-ro", "/", "--chdir"].map(OsString::from));
        words.extend([at.into(), "--".into()]);
        let mut command = Command::new("bwrap");
        command.args(words).args(argv);
        scrub(&mut command);
        // Git takes settings that it may not read for a fault.
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    /// A command without a cage.
    pub(super) fn bare(&self, at: &Path, argv: Vec<OsString>) -> Command {
        let mut argv = argv.into_iter();
        let mut command = Command::new(argv.next().unwrap_or_default());
        command.args(argv).current_dir(at).process_group(0);
        scrub(&mut command);
        command
    }
}

/// Nothing of the gateway's environment gets to a command but what programs need to find
/// themselves; no key has a name among these.
fn scrub(command: &mut Command) {
    command.env_clear().stdin(Stdio::null()).kill_on_drop(true);
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("TERM", "dumb").env("CI", "true");
    command.env("NO_COLOR", "1").env("GIT_TERMINAL_PROMPT", "0");
}

/// How long the first try may take.
const PROBE: Duration = Duration::from_secs(5);

const WALLS: [&str; 17] = [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    // Programs expect these; the sockets of services and sessions lie there outside.
    "--tmpfs",
    "/run",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/var/tmp",
    // Whoever runs Postern as root would else hand its powers in.
    "--cap-drop",
    "ALL",
];

/// What of `/proc` is the machine's, not a process's: whoever runs Postern as root could write it.
const KERNEL: [&str; 9] = [
    "/proc/acpi",
    "/proc/bus",
    "/proc/driver",
    "/proc/fs",
    "/proc/irq",
    "/proc/mtrr",
    "/proc/pressure",
    "/proc/sys",
    "/proc/sysrq-trigger",
];

/// What builds keep below the home folder: nothing in it is run by its name.
const CACHES: [&str; 7] = [
    ".cargo/git",
    ".cargo/registry",
    ".cache/go-build",
    ".gradle/caches",
    ".m2/repository",
    ".npm/_cacache",
    "go/pkg/mod",
];

/// Where keys lie outside the home folder.
const SYSTEM_KEYS: [&str; 15] = [
    "/etc/NetworkManager/system-connections",
    "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d",
    "/etc/gitconfig",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/letsencrypt",
    "/etc/pki/tls/private",
    "/etc/security/opasswd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/wireguard",
];

/// Where keys lie in the folder that `CARGO_HOME` names.
const CARGO_KEYS: [&str; 2] = ["credentials", "credentials.toml"];

/// Where keys lie below the home folder, git's own settings among them: addresses in them hold
/// passwords.
const KEYS: [&str; 39] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".cabal/config",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/NuGet",
    ".config/gcloud",
    ".config/gh",
    ".config/git",
    ".config/hub",
    ".config/pip",
    ".config/rclone",
    ".config/sops",
    ".docker",
    ".dotnet/corefx",
    ".gem/credentials",
    ".git-credentials",
    ".gitconfig",
    ".gnupg",
    ".gradle/gradle.properties",
    ".kube",
    ".local/share/keyrings",
    ".local/share/uv/credentials",
    ".m2/settings-security.xml",
    ".m2/settings.xml",
    ".netrc",
    ".npmrc",
    ".nuget/NuGet",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".stack/upload",
    ".terraform.d",
    ".vault-token",
    ".yarnrc",
    ".yarnrc.yml",
    ".zsh_history",
];

/// What a resolver may need of `/run` where the net is open.
const NAMES: &str = "/run/systemd/resolve";

const PASSED_ON: [&str; 15] = [
    "CARGO_HOME",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "NVM_DIR",
    "PATH",
    "RUSTUP_HOME",
    "SHELL",
    "TZ",
    "USER",
];
