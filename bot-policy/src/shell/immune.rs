//! Which things ask every time, whatever the rules say? Paths that hold keys or run the machine.

/// Why a path of any tool asks every time; none where it does not.
pub fn path(path: &str) -> Option<&'static str> {
    let path = format!("{}/", path.to_lowercase().replace('\\', "/"));
    IMMUNE
        .iter()
        .find(|(part, _)| path.contains(part))
        .map(|(_, why)| *why)
        .or_else(|| {
            SYSTEM
                .iter()
                .any(|folder| path.starts_with(folder))
                .then_some("it names a folder of the system")
        })
}

const IMMUNE: [(&str, &str); 5] = [
    (".aws/credentials/", "it names cloud keys"),
    (".gnupg/", "it names a key ring"),
    (".kube/config/", "it names cluster keys"),
    (".netrc/", "it names saved passwords"),
    (".ssh/", "it names SSH keys"),
];

const SYSTEM: [&str; 5] = ["/boot/", "/dev/", "/etc/", "/proc/", "/sys/"];
