//! The configuration of judging says what is wrong with it, and where.

use std::path::Path;

use bot_policy::decide::Dangerous;
use bot_policy::risk::Threshold;
use bot_policy::shell::{Denylist, FolderTrust};
use gateway::config::{Config, Judging};

use crate::keeper::{Home, read};

#[test]
fn what_is_set_is_what_is_judged_by() {
    let judging = parse(
        "[shell]\ndenylist = [\"terraform destroy\"]\ndangerous = \"ask-once\"\ntrusted_folders = [\"/srv/mine\"]\n[risk]\naction = \"never\"\n",
    )
    .unwrap();
    let expected = Judging {
        denylist: Denylist::new(["terraform destroy"]).unwrap().into(),
        dangerous: Dangerous::AskOnce,
        trusted_folders: vec!["/srv/mine".into()],
        threshold: Threshold::Never,
        model: None,
    };
    assert_eq!(judging, expected);
    assert_eq!(parse("").unwrap(), Judging::default());
}

#[test]
fn each_word_for_risk_is_its_threshold() {
    for (word, threshold) in [
        ("always", Threshold::Always),
        ("low", Threshold::Always),
        ("medium", Threshold::Medium),
        ("high", Threshold::High),
        ("never", Threshold::Never),
    ] {
        let judging = parse(&format!("[risk]\naction = \"{word}\"\n")).unwrap();
        assert_eq!(judging.threshold, threshold, "{word}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, told) in [
        (
            "[shell]\ndenylist = [\"fine\", \"(\"]\n",
            "2:12: shell.denylist[1]: \"(\" is no regular expression (unclosed group); mend it, or remove it",
        ),
        (
            "[shell]\ndenylist = [\" \"]\n",
            "2:12: shell.denylist[0]: an empty pattern forbids nothing; remove it",
        ),
        (
            "[shell]\ndangerous = \"allow\"\n",
            "2:13: shell.dangerous: `allow` is not known here; use `ask-once` or `deny`",
        ),
        (
            "[shell]\ntrusted_folders = [\"mine\"]\n",
            "2:19: shell.trusted_folders[0]: mine is not the whole path of a folder; begin with / and name one folder",
        ),
        (
            "[shell]\ntrusted_folders = [\"/\"]\n",
            "2:19: shell.trusted_folders[0]: / is not the whole path of a folder; begin with / and name one folder",
        ),
        (
            "[risk]\naction = \"HIGH\"\n",
            "2:10: risk.action: `HIGH` is not known here; use `always`, `high`, `low`, `medium`, `never`",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err(), format!("postern.toml:{told}"));
    }
}

#[test]
fn a_wrong_pattern_in_the_environment_stops_the_start_and_names_itself() {
    let home = Home::new();
    for order in [&["config", "check"][..], &["up"], &[]] {
        let said = home
            .command(order)
            .env("POSTERN_DENYLIST", "terraform destroy; [a")
            .output()
            .unwrap();
        let (code, out, err) = read(&said);
        assert_eq!(code, 1, "{out}{err}");
        let told = "POSTERN_DENYLIST: \" [a\" is no regular expression (unclosed character class); mend it, or remove it";
        assert!(format!("{out}{err}").contains(told), "{out}{err}");
    }
    let said = home
        .command(&["config", "check"])
        .env("POSTERN_DENYLIST", "terraform destroy;;kubectl delete")
        .output()
        .unwrap();
    assert_eq!(read(&said).0, 0, "{said:?}");
}

#[test]
fn a_folder_is_trusted_with_what_is_below_it_and_by_its_real_name() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("mine");
    std::fs::create_dir_all(mine.join("sub")).unwrap();
    std::fs::create_dir_all(folder.path().join("mine-not")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("mine-not"), mine.join("link")).unwrap();
    let judging = Judging {
        trusted_folders: vec![mine.clone()],
        ..Judging::default()
    };
    let at = |name: &str| judging.folder(&folder.path().join(name));
    assert_eq!(
        [
            "mine",
            "mine/sub",
            "mine-not",
            "mine/link",
            "mine/../mine-not",
            "mine/gone"
        ]
        .map(at),
        [
            FolderTrust::Trusted,
            FolderTrust::Trusted,
            FolderTrust::Untrusted,
            FolderTrust::Untrusted,
            FolderTrust::Untrusted,
            FolderTrust::Untrusted,
        ]
    );
}

fn parse(text: &str) -> Result<Judging, String> {
    Config::parse(Path::new("postern.toml"), text)
        .map(|config| config.judging)
        .map_err(|why| why.to_string())
}
