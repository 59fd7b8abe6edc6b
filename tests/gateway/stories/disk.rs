//! The disk is full or broken for a moment: what was acknowledged is there, and the program says so
//! and goes on. Needs `strace`, and a system that lets it trace; says so where it cannot.

use std::process::{Command, Stdio};

use super::chat::{Chat, Door};
use super::house::House;

/// Which of a thread's calls fail, one for each start.
const WHICH: [u32; 10] = [1, 2, 3, 4, 6, 9, 13, 19, 28, 40];

fn traced(house: &House, log: &std::path::Path, options: &[&str]) -> Command {
    let program = house.home.command(&[]);
    let mut command = Command::new("strace");
    // -D: the program stays our own child, so that it is the program that is killed.
    command
        .args(["-D", "-f", "-qq", "--seccomp-bpf", "-s", "4096", "-o"])
        .arg(log)
        .args(options)
        .arg(program.get_program())
        .stdin(Stdio::null());
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
}

pub fn can_trace(test: &str) -> bool {
    let tried = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        println!("not run: {test} (this system does not let strace trace)");
    }
    can
}

async fn injected(test: &str, call: &str, error: &str) {
    if !can_trace(test) {
        return;
    }
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    for which in WHICH {
        house.kill();
        let log = house.home.path().join(format!("trace-{which}"));
        let inject = format!("inject={call}:error={error}:when={which}");
        let trace = format!("trace={call}");
        let command = traced(&house, &log, &["-e", &trace, "-e", &inject]);
        if !house.start_by(command).await {
            // It may refuse to start, and then says why.
            house.terminal_says("database").await;
            house.kill();
            house.start().await;
        }
        let text = format!("remember word {which} end\nread no-{which}-end.txt");
        chat.say(&text).await;
        chat.told(&format!("there is no file no-{which}-end.txt"))
            .await;
        house.all_sent().await;
        house.kill();
        house.start().await;
        // A deed whose own write failed is told as failed; every other is there.
        let told = i64::try_from(chat.times("remembered").await).unwrap();
        let there = house.count("SELECT count(*) FROM memory");
        assert_eq!(there, told, "{call} {which}");
        let sound = house
            .database()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0));
        assert_eq!(sound, Ok("ok".to_owned()), "{call} {which}");
    }
    nothing_doubled(&chat).await;
    let says = ["could not be written", "does not answer", "database"];
    let errors = house.errors();
    assert!(
        says.iter().any(|say| errors.contains(say)),
        "it said nothing: {errors}"
    );
}

async fn nothing_doubled(chat: &Chat) {
    for which in WHICH {
        let text = format!("there is no file no-{which}-end.txt");
        assert_eq!(chat.times(&text).await, 1, "{text}");
    }
}

#[tokio::test]
async fn a_full_disk_at_any_write_loses_nothing_acknowledged() {
    injected("a full disk", "pwrite64", "ENOSPC").await;
}

#[tokio::test]
async fn a_broken_disk_at_any_write_loses_nothing_acknowledged() {
    injected("a broken disk", "pwrite64", "EIO").await;
}

#[tokio::test]
async fn a_broken_disk_at_any_sync_loses_nothing_acknowledged() {
    injected("a broken sync", "fsync,fdatasync", "EIO").await;
}

/// The numbers of the lines that hold each of these.
fn lines_with(log: &str, all: &[&str]) -> Vec<usize> {
    let holds = |(_, line): &(usize, &str)| all.iter().all(|text| line.contains(text));
    log.lines()
        .enumerate()
        .filter(holds)
        .map(|(at, _)| at)
        .collect()
}

#[tokio::test]
async fn f07_what_came_in_is_synced_before_it_is_acknowledged() {
    if !can_trace("the sync before the acknowledgement") {
        return;
    }
    let (mut house, phone) = House::with_owner(Door::Telegram).await;
    let page = house.enter(Door::Web, 0, &house.new_code(None).await).await;
    house.stop().await;
    let log = house.home.path().join("trace");
    let calls = "trace=fdatasync,fsync,sendto,sendmsg,write,writev,recvfrom,recvmsg,read,readv";
    let command = traced(&house, &log, &["-e", calls]);
    assert!(house.start_by(command).await);
    phone.say("remember the sync of the phone").await;
    phone.told("remembered").await;
    house.all_heard().await;
    assert!(page.try_say("sync", "remember the sync of the page").await);
    page.told("remembered").await;
    house.stop().await;
    let log = std::fs::read_to_string(log).unwrap();
    let synced: Vec<usize> = ["fdatasync", "fsync"]
        .iter()
        .flat_map(|call| lines_with(&log, &[call, "= 0"]))
        .collect();
    for (came, acknowledged) in [
        ("the sync of the phone", "GetUpdates"),
        ("the sync of the page", "HTTP/1.1 200"),
    ] {
        let came = lines_with(&log, &["recv", came])
            .into_iter()
            .chain(lines_with(&log, &["read", came]))
            .min();
        let came = came.expect("what came in");
        let told = lines_with(&log, &[acknowledged]);
        let told = told
            .into_iter()
            .find(|at| *at > came)
            .expect("an acknowledgement");
        let between = synced.iter().any(|at| (came..told).contains(at));
        assert!(
            between,
            "{acknowledged}: acknowledged in line {told} what came in line {came}"
        );
    }
}
