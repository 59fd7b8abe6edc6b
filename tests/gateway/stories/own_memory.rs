//! What the program holds in its memory is read by nothing that it may start as the same user.

use std::process::Command;

use super::house::{House, soon};

#[tokio::test]
async fn a_process_of_the_same_user_reads_neither_the_environment_nor_the_memory() {
    let mut house = House::build().await;
    let program = without_powers(&house.home.command(&[]));
    assert!(house.start_by(program).await, "{}", house.errors());
    let mut other = Command::new("sleep");
    other.arg("60").env("POSTERN_TRIED", "1");
    let mut other = without_powers(&other).spawn().unwrap();
    for file in ["environ", "mem", "maps"] {
        let read = |process: u32| {
            let mut head = Command::new("head");
            head.args(["-c", "1", &format!("/proc/{process}/{file}")]);
            without_powers(&head).output().unwrap()
        };
        let own = read(house.process());
        assert!(
            !own.status.success() && own.stdout.is_empty(),
            "{file}: {own:?}"
        );
        // Another one, once it gave its powers up, is opened.
        let opened = soon(|| {
            let said = String::from_utf8(read(other.id()).stderr).unwrap();
            (!said.contains("ermission denied")).then_some(())
        });
        assert!(opened.await.is_some(), "{file} of another is not opened");
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

/// The command as a user runs it who has no power over others.
fn without_powers(command: &Command) -> Command {
    let mut bare = Command::new("setpriv");
    bare.args(["--bounding-set=-all", "--inh-caps=-all"]);
    let mut made = match rustix::process::geteuid().is_root() {
        true => {
            bare.arg(command.get_program());
            bare
        }
        false => Command::new(command.get_program()),
    };
    made.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            made.env(name, value);
        }
    }
    made.stdin(std::process::Stdio::null());
    made
}
