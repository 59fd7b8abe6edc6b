//! The container is as tight as the program, and starts the same thing.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use yaml_rust2::{Yaml, YamlLoader};

use crate::keeper::Home;

#[test]
fn there_is_one_service_with_one_volume() {
    let file = compose();
    assert_eq!(keys(&file["services"]), ["postern"]);
    assert_eq!(keys(&file["volumes"]), ["data"]);
    let service = &file["services"]["postern"];
    assert_eq!(texts(&service["volumes"]), ["data:/data"]);
    assert_eq!(
        service["environment"]["POSTERN_DATA"].as_str(),
        Some("/data")
    );
}

#[test]
fn the_page_is_published_on_this_machine_alone() {
    assert_eq!(
        texts(&compose()["services"]["postern"]["ports"]),
        ["127.0.0.1:8787:8787"]
    );
}

#[test]
fn the_container_can_do_no_more_than_it_needs() {
    let file = compose();
    let service = &file["services"]["postern"];
    assert_eq!(service["read_only"].as_bool(), Some(true));
    assert_eq!(texts(&service["cap_drop"]), ["ALL"]);
    assert_eq!(texts(&service["security_opt"]), ["no-new-privileges:true"]);
    assert_eq!(
        service["user"].as_str(),
        Some("${POSTERN_ID:-1000}:${POSTERN_ID:-1000}")
    );
    for key in [
        "privileged",
        "cap_add",
        "network_mode",
        "pid",
        "ipc",
        "devices",
        "userns_mode",
    ] {
        assert!(service[key].is_badvalue(), "{key}");
    }
}

#[test]
fn secrets_are_files_and_none_is_in_the_environment() {
    let file = compose();
    let service = &file["services"]["postern"];
    assert_eq!(texts(&service["secrets"]), keys(&file["secrets"]));
    for secret in file["secrets"].as_hash().unwrap().values() {
        assert_eq!(keys(secret), ["file"]);
    }
    assert_eq!(
        keys(&service["environment"]),
        ["POSTERN_DATA", "POSTERN_CONFIG"]
    );
    assert!(service["env_file"].is_badvalue());
}

#[test]
fn the_build_steps_are_inline_and_build_what_the_tests_build() {
    let file = compose();
    let build = &file["services"]["postern"]["build"];
    let steps = build["dockerfile_inline"].as_str().unwrap();
    assert!(
        steps.contains("\nRUN cargo build --release --locked\n"),
        "{steps}"
    );
    assert!(build["dockerfile"].is_badvalue());
    let toolchain = fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
    let channel = toolchain.split('"').nth(1).unwrap();
    assert!(steps.contains(&format!("/rust:{channel}-")), "{steps}");
    assert!(
        steps.contains(&format!("\nENV RUSTUP_TOOLCHAIN={channel}\n")),
        "{steps}"
    );
}

#[test]
fn the_folders_that_the_build_makes_are_ones_that_the_program_takes() {
    let file = compose();
    let build = &file["services"]["postern"]["build"];
    let scratch = tempfile::tempdir().unwrap();
    let id = rustix::process::getuid().as_raw();
    let at = scratch.path().display();
    let step = build["dockerfile_inline"].as_str().unwrap();
    let step = step
        .lines()
        .find_map(|line| line.strip_prefix("RUN install "))
        .unwrap();
    let step = step
        .replace("$$", "$")
        .replace("/data", &format!("{at}/data"));
    let done = std::process::Command::new("sh")
        .args(["-ec", &format!("ID={id}; install {step}")])
        .status();
    assert!(done.unwrap().success());
    let home = Home::new();
    let said = home
        .command(&["doctor"])
        .env("POSTERN_DATA", scratch.path().join("data"))
        .env("POSTERN_CONFIG", scratch.path().join("data/config"))
        .output()
        .unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(
        text.contains(&format!("ok    data folder: {at}/data is yours alone")),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "ok    configuration folder: {at}/data/config is yours alone"
        )),
        "{text}"
    );
}

#[test]
fn the_same_thing_starts_with_the_containers_settings_and_its_health_check_passes() {
    let file = compose();
    let service = &file["services"]["postern"];
    let settings = file["configs"]["settings"]["content"].as_str().unwrap();
    assert_eq!(
        service["configs"][0]["target"].as_str(),
        Some("/data/config/postern.toml")
    );
    assert!(settings.contains("\nlisten = \"0.0.0.0:8787\"\n"));

    let home = Home::new();
    // A free port of this machine alone stands for the container's own.
    home.configure(&settings.replace("0.0.0.0:8787", "127.0.0.1:0"));
    let command = texts(&service["command"]);
    let mut running = home
        .command(&command)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let check = texts(&service["healthcheck"]["test"]);
    assert_eq!(check[..2], ["CMD", "/usr/local/bin/postern"]);
    let begun = Instant::now();
    let healthy = loop {
        let said = home.command(&check[2..]).output().unwrap();
        if said.status.success() || begun.elapsed() > Duration::from_secs(20) {
            break said;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    kill_process(Pid::from_child(&running), Signal::TERM).unwrap();
    running.wait().unwrap();
    assert!(healthy.status.success(), "{healthy:?}");
}

fn root() -> &'static std::path::Path {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn compose() -> Yaml {
    let text = fs::read_to_string(root().join("compose.yaml")).unwrap();
    YamlLoader::load_from_str(&text).unwrap().remove(0)
}

fn keys(of: &Yaml) -> Vec<&str> {
    of.as_hash()
        .unwrap()
        .keys()
        .map(|key| key.as_str().unwrap())
        .collect()
}

fn texts(of: &Yaml) -> Vec<&str> {
    of.as_vec()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}
