//! The container is as tight as the program, and starts the same thing.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use yaml_rust2::{Yaml, YamlLoader};

use crate::keeper::Home;

const SERVICES: [&str; 3] = ["postern", "extract", "proxy"];

#[test]
fn what_is_kept_is_in_one_volume_and_only_postern_has_it() {
    let file = compose();
    assert_eq!(keys(&file["services"]), SERVICES);
    assert_eq!(keys(&file["volumes"]), ["data", "extract"]);
    let volumes = |name: &str| texts(&file["services"][name]["volumes"]);
    assert_eq!(volumes("postern"), ["data:/data", "extract:/run/extract"]);
    assert_eq!(volumes("extract"), ["extract:/run/extract"]);
    assert!(file["services"]["proxy"]["volumes"].is_badvalue());
    let environment = &file["services"]["postern"]["environment"];
    assert_eq!(environment["POSTERN_DATA"].as_str(), Some("/data"));
}

#[test]
fn what_reads_documents_has_no_net_and_no_secret() {
    let file = compose();
    let worker = &file["services"]["extract"];
    assert_eq!(worker["network_mode"].as_str(), Some("none"));
    for key in ["secrets", "configs", "environment", "ports", "networks"] {
        assert!(worker[key].is_badvalue(), "{key}");
    }
    let at = file["services"]["postern"]["environment"]["POSTERN_EXTRACT"].as_str();
    assert_eq!(texts(&worker["command"]), ["extract", at.unwrap()]);
}

#[test]
fn others_reach_the_doors_alone_and_only_through_the_proxy() {
    let file = compose();
    let proxy = &file["services"]["proxy"];
    assert_eq!(texts(&proxy["profiles"]), ["public"]);
    assert_eq!(texts(&proxy["networks"]), ["public", "doors"]);
    assert_eq!(
        texts(&file["services"]["postern"]["networks"]),
        ["outside", "doors"]
    );
    assert_eq!(file["networks"]["doors"]["internal"].as_bool(), Some(true));
    let text = file["configs"]["proxy"]["content"].as_str().unwrap();
    assert_eq!(text.matches("proxy_pass").count(), 1);
    assert!(text.contains("location /hooks/ {\n    proxy_pass http://postern:8788;"));
    // The proxy that is believed is the one that is there.
    let net = file["networks"]["doors"]["ipam"]["config"][0]["subnet"]
        .as_str()
        .unwrap();
    let settings = file["configs"]["settings"]["content"].as_str().unwrap();
    assert!(
        settings.contains(&format!("trusted = [\"{net}\"]")),
        "{settings}"
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
fn no_container_can_do_more_than_it_needs() {
    let file = compose();
    for name in SERVICES {
        let service = &file["services"][name];
        let of = |key: &str| match &service[key] {
            Yaml::BadValue => service["<<"][key].clone(),
            own => own.clone(),
        };
        assert_eq!(of("read_only").as_bool(), Some(true), "{name}");
        assert_eq!(texts(&of("cap_drop")), ["ALL"], "{name}");
        assert_eq!(texts(&of("security_opt")), ["no-new-privileges:true"]);
        let user = "${POSTERN_ID:-1000}:${POSTERN_ID:-1000}";
        assert_eq!(of("user").as_str(), Some(user), "{name}");
        for key in ["mem_limit", "pids_limit", "healthcheck"] {
            assert!(!of(key).is_badvalue(), "{name} {key}");
        }
        for key in [
            "privileged",
            "cap_add",
            "pid",
            "ipc",
            "devices",
            "userns_mode",
            "env_file",
        ] {
            assert!(of(key).is_badvalue(), "{name} {key}");
        }
        let net = of("network_mode");
        assert!(net.is_badvalue() || net.as_str() == Some("none"), "{name}");
    }
}

#[test]
fn secrets_are_files_and_none_is_in_the_environment() {
    let file = compose();
    let (postern, proxy) = (&file["services"]["postern"], &file["services"]["proxy"]);
    let given = [texts(&postern["secrets"]), texts(&proxy["secrets"])].concat();
    assert_eq!(given, keys(&file["secrets"]));
    assert_eq!(texts(&proxy["secrets"]), ["tls_certificate", "tls_key"]);
    for secret in file["secrets"].as_hash().unwrap().values() {
        assert_eq!(keys(secret), ["file"]);
    }
    assert_eq!(
        keys(&postern["environment"]),
        ["POSTERN_DATA", "POSTERN_CONFIG", "POSTERN_EXTRACT"]
    );
    assert!(proxy["environment"].is_badvalue());
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
        .replace("/data", &format!("{at}/data"))
        .replace("/run/extract", &format!("{at}/run/extract"));
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

#[test]
fn the_service_has_every_switch_that_its_page_explains() {
    let unit = fs::read_to_string(root().join("deploy/postern.service")).unwrap();
    let has = |line: &str| unit.lines().any(|one| one == line);
    for line in [
        "User=postern",
        "UMask=0077",
        "StateDirectoryMode=0700",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "PrivateDevices=yes",
        "ProtectProc=invisible",
        "ProtectKernelTunables=yes",
        "ProtectKernelModules=yes",
        "ProtectControlGroups=yes",
        "RestrictNamespaces=yes",
        "RestrictSUIDSGID=yes",
        "MemoryDenyWriteExecute=yes",
        "SystemCallFilter=@system-service",
        "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
    ] {
        assert!(has(line), "{line}");
    }
    assert!(!unit.contains("Environment=TELEGRAM"), "{unit}");
    assert!(unit.contains("\nLoadCredential="));
}

#[test]
fn systemd_takes_the_service_as_it_is() {
    let unit = fs::read_to_string(root().join("deploy/postern.service")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("postern.service");
    let program = env!("CARGO_BIN_EXE_postern");
    fs::write(&file, unit.replace("/usr/local/bin/postern", program)).unwrap();
    let verify = std::process::Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .arg(&file)
        .output();
    match verify {
        Ok(said) => {
            let err = String::from_utf8_lossy(&said.stderr);
            let ours = err.lines().find(|line| line.contains("postern.service"));
            assert_eq!((said.status.success(), ours), (true, None), "{said:?}");
        }
        Err(missing) => assert_eq!(missing.kind(), std::io::ErrorKind::NotFound),
    }
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
