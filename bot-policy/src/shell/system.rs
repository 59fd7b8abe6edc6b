//! Does a command change the machine: power, rights, services, kernel, network, variables of the loader?

use super::arguments::{Arguments, folded};
use super::walk::{Flow, Judge};
use super::{Immune, Kind, immune, names, redirect};

/// Judges a variable that is set.
pub(super) fn assigned(judge: &mut Judge, name: &str) {
    if name == "PATH" {
        judge.find(
            Kind::Loader,
            Immune::No,
            "it changes where programs are looked for",
        );
    } else if LOADER.contains(&name) || name.starts_with("DYLD_") || name.starts_with("GIT_CONFIG")
    {
        judge.find(
            Kind::Loader,
            Immune::No,
            format!("{name} changes what programs load or run"),
        );
    }
}

pub(super) fn command(judge: &mut Judge, program: &str, arguments: Arguments, input: &Flow) {
    let first = arguments.first();
    let found: Option<(Kind, Immune, &str)> = match program {
        "sudo" | "doas" | "pkexec" | "su" | "runuser" | "sudoedit" | "gosu" | "run0" => Some((
            Kind::Privilege,
            Immune::Yes,
            "it runs with another user's rights",
        )),
        "shutdown" | "reboot" | "poweroff" | "halt" => {
            Some((Kind::Power, Immune::Yes, "it switches the machine off"))
        }
        "init" | "telinit" if matches!(first, "0" | "1" | "6" | "S" | "s") => {
            Some((Kind::Power, Immune::No, "it changes the runlevel"))
        }
        "systemctl" | "loginctl" => service(arguments),
        "service" if arguments.texts().any(|text| text == "stop") => {
            Some((Kind::Service, Immune::Yes, "it stops a service"))
        }
        "userdel" | "groupdel" | "useradd" | "usermod" | "passwd" | "chpasswd" | "visudo"
        | "deluser" | "adduser" => Some((
            Kind::Account,
            Immune::No,
            "it changes the accounts of the machine",
        )),
        "insmod" | "rmmod" | "modprobe" | "kexec" => {
            Some((Kind::Kernel, Immune::Yes, "it changes the kernel"))
        }
        "sysctl"
            if arguments.cluster('w')
                || arguments.texts().any(|text| text.contains('='))
                || arguments.cluster('p')
                || arguments.has(&["--write", "--load", "--system"]) =>
        {
            Some((
                Kind::Kernel,
                Immune::Yes,
                "it changes the kernel's parameters",
            ))
        }
        "iptables" | "ip6tables" | "nft" | "ufw" | "ebtables" | "firewall-cmd" | "pfctl" => {
            firewall(program, arguments)
        }
        "nc" | "ncat" | "netcat" => netcat(judge, arguments),
        "socat"
            if arguments.texts().any(|text| {
                let upper = text.to_uppercase();
                ["EXEC:", "SYSTEM:", "SHELL:"]
                    .iter()
                    .any(|part| upper.contains(part))
            }) =>
        {
            Some((
                Kind::Network,
                Immune::No,
                "it gives a program to a connection",
            ))
        }
        "socat"
            if arguments
                .texts()
                .any(|text| text.to_uppercase().contains("LISTEN")) =>
        {
            Some((Kind::Network, Immune::Yes, "it listens for connections"))
        }
        "kill" => kill(arguments),
        "killall" | "killall5" => {
            Some((Kind::Kill, Immune::Yes, "it stops every process of a name"))
        }
        "pkill" if is_forced(arguments) => {
            Some((Kind::Kill, Immune::Yes, "it stops many processes by force"))
        }
        "crontab" if arguments.cluster('r') => {
            Some((Kind::Cron, Immune::No, "it deletes what runs at set times"))
        }
        "crontab" if !arguments.cluster('l') && !arguments.cluster('e') => Some((
            Kind::Cron,
            Immune::Yes,
            "it replaces what runs at set times",
        )),
        "at" | "batch" if *input != Flow::Nothing || arguments.has(&["-f"]) => {
            Some((Kind::Cron, Immune::Yes, "it runs commands later"))
        }
        "umount"
            if arguments.cluster('f')
                || arguments.cluster('l')
                || arguments.has(&["--force", "--lazy"]) =>
        {
            Some((Kind::Unmount, Immune::No, "it tears a file system off"))
        }
        "chmod" => chmod(arguments),
        "chown" | "chgrp" => chown(program, arguments),
        "setcap" => Some((
            Kind::Permissions,
            Immune::Yes,
            "it gives a program special rights",
        )),
        "export" | "declare" | "typeset" | "readonly" | "local" | "set" | "env" => {
            for text in arguments.texts() {
                if let Some((name, _)) = text.split_once('=') {
                    assigned(judge, name);
                }
            }
            None
        }
        "eval" => Some((Kind::Eval, Immune::No, "it runs text as a command")),
        "terraform" | "tofu" | "pulumi" if first == "destroy" || arguments.has(&["-destroy"]) => {
            Some((
                Kind::Infrastructure,
                Immune::Yes,
                "it destroys infrastructure",
            ))
        }
        "kubectl" | "oc" if first == "delete" => Some((
            Kind::Infrastructure,
            Immune::Yes,
            "it deletes from a cluster",
        )),
        "helm" if matches!(first, "uninstall" | "delete") => Some((
            Kind::Infrastructure,
            Immune::Yes,
            "it deletes from a cluster",
        )),
        "docker" | "podman" => container(arguments),
        "aws" | "gcloud" | "az" | "gsutil"
            if arguments.operands().any(|operand| {
                matches!(
                    operand.text.as_str(),
                    "rb" | "rm" | "delete" | "terminate-instances"
                ) || operand.text.starts_with("delete-")
            }) =>
        {
            Some((Kind::Infrastructure, Immune::Yes, "it deletes from a cloud"))
        }
        "redis-cli"
            if arguments.texts().any(|text| {
                let lower = text.to_lowercase();
                lower.contains("flushall") || lower.contains("flushdb")
            }) =>
        {
            Some((Kind::Sql, Immune::Yes, "it empties a data base"))
        }
        _ => None,
    };
    if let Some((kind, immune, because)) = found {
        judge.find(kind, immune, because);
    }
    leaks(judge, program, arguments, input);
}

fn leaks(judge: &mut Judge, program: &str, arguments: Arguments, input: &Flow) {
    if !names::is_network(program) {
        return;
    }
    let carries = matches!(input, Flow::Environment | Flow::Secret);
    let has_keys = !matches!(program, "ssh" | "scp" | "sftp" | "rsync")
        && arguments
            .texts()
            .any(|text| immune::credential(text).is_some());
    if carries || has_keys {
        judge.find(
            Kind::Exfiltration,
            Immune::No,
            "it sends secrets or the environment away",
        );
    }
}

fn service(arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let is = |words: &[&str]| {
        arguments
            .operands()
            .any(|operand| words.contains(&operand.text.as_str()))
    };
    if is(&[
        "poweroff",
        "reboot",
        "halt",
        "kexec",
        "rescue",
        "emergency",
        "suspend",
        "hibernate",
        "isolate",
    ]) {
        Some((Kind::Power, Immune::Yes, "it switches the machine off"))
    } else if is(&["stop", "disable", "mask", "kill"]) {
        Some((Kind::Service, Immune::Yes, "it stops a service"))
    } else {
        None
    }
}

fn firewall(program: &str, arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let is_flush = match program {
        "nft" => arguments
            .operands()
            .any(|o| matches!(o.text.as_str(), "flush" | "delete")),
        "ufw" => arguments
            .operands()
            .any(|o| matches!(o.text.as_str(), "disable" | "reset")),
        "pfctl" => arguments.cluster('F') || arguments.cluster('d'),
        _ => arguments.cluster('F') || arguments.long("--flush", 4) || arguments.cluster('X'),
    };
    is_flush.then_some((
        Kind::Firewall,
        Immune::Yes,
        "it drops the rules of the firewall",
    ))
}

fn netcat(judge: &mut Judge, arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    if arguments.cluster('e')
        || arguments.cluster('c')
        || arguments.has(&["--exec", "--sh-exec", "--lua-exec"])
    {
        judge.find(
            Kind::Network,
            Immune::No,
            "it gives a program to a connection",
        );
    }
    (arguments.cluster('l') || arguments.long("--listen", 4)).then_some((
        Kind::Network,
        Immune::Yes,
        "it listens for connections",
    ))
}

fn is_forced(arguments: Arguments) -> bool {
    let mut texts = arguments.texts().peekable();
    while let Some(text) = texts.next() {
        let name = match text {
            "-s" | "-n" | "--signal" => texts.peek().copied().unwrap_or_default(),
            _ => match text.strip_prefix("--signal=") {
                Some(name) => name,
                None => text
                    .strip_prefix('-')
                    .map_or("", |rest| rest.trim_start_matches(['s', 'n'])),
            },
        };
        let upper = name.to_uppercase();
        if matches!(upper.trim_start_matches("SIG"), "9" | "KILL") {
            return true;
        }
    }
    false
}

fn kill(arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let everyone = arguments.texts().skip(1).any(|text| text == "-1");
    (is_forced(arguments) || everyone).then_some((
        Kind::Kill,
        Immune::Yes,
        "it stops processes by force",
    ))
}

fn chmod(arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let is_open = |mode: &str| {
        let octal = mode.trim_start_matches('0');
        octal == "777"
            || octal == "666"
            || (octal.len() == 4 && octal.bytes().all(|b| b.is_ascii_digit()))
            || mode.split(',').any(|part| {
                part.split_once(['+', '=']).is_some_and(|(who, what)| {
                    what.contains('s')
                        || (what.contains('w') && (who.contains(['a', 'o']) || who.is_empty()))
                })
            })
    };
    if !arguments
        .texts()
        .any(|text| is_open(text.trim_start_matches('-')))
    {
        return None;
    }
    let sets_user = arguments.texts().any(|text| {
        text.contains("+s") || text.contains("=s") || (text.len() == 4 && !text.starts_with('0'))
    });
    let is_local = !sets_user
        && !arguments
            .operands()
            .skip(1)
            .any(super::arguments::is_elsewhere);
    let immune = if is_local { Immune::Only } else { Immune::Yes };
    Some((
        Kind::Permissions,
        immune,
        "it opens files to everyone or lends its owner's rights",
    ))
}

fn chown(program: &str, arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let whole = arguments.cluster('R') || arguments.long("--recursive", 5);
    let touches = |wide: bool| {
        arguments.operands().skip(1).any(|operand| {
            let path = folded(&operand.text);
            path == "/" || (wide && super::arguments::is_elsewhere(operand))
        })
    };
    if whole && touches(true) {
        return Some((Kind::Permissions, Immune::No, "it gives away whole folders"));
    }
    let owner = arguments.first();
    (program == "chown"
        && owner
            .split([':', '.'])
            .next()
            .is_some_and(|user| matches!(user, "root" | "0")))
    .then_some((Kind::Permissions, Immune::Only, "it gives files to root"))
}

fn container(arguments: Arguments) -> Option<(Kind, Immune, &'static str)> {
    let mounts_root = arguments.texts().any(|text| {
        let text = text
            .strip_prefix("--volume=")
            .or_else(|| text.strip_prefix("-v"))
            .unwrap_or(text);
        text.starts_with("/:")
            || text.contains("source=/,")
            || text.contains("src=/,")
            || text.contains("docker.sock")
            || redirect::is_network(text)
    });
    if mounts_root || arguments.has(&["--privileged", "--pid=host"]) {
        return Some((
            Kind::Infrastructure,
            Immune::Yes,
            "a container gets the whole machine",
        ));
    }
    arguments
        .operands()
        .any(|operand| operand.text == "prune")
        .then_some((
            Kind::Infrastructure,
            Immune::Yes,
            "it deletes containers, images or volumes",
        ))
}

const LOADER: [&str; 25] = [
    "BASH_ENV",
    "BASH_FUNC_ls%%",
    "CDPATH",
    "EDITOR",
    "ENV",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "IFS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PAGER",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELLOPTS",
];
