//! Something panics in the middle: it ends one turn or begins one line again, and says so. What
//! panics is the runtime, on a system that gives it no more threads. Needs `strace`, as `disk` does.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fakes::telegram::Fault;

use super::chat::Door;
use super::disk::can_trace;
use super::house::{House, OWNER, soon};

/// How long the runtime keeps a thread that has nothing to do.
const THREADS_KEPT: Duration = Duration::from_secs(11);

/// More connections than a line holds ready.
const CONNECTIONS_KEPT: usize = 6;

/// While this is held, the system gives a program no thread.
struct NoThreads(Child);

impl NoThreads {
    async fn from_now_on(house: &House) -> Self {
        // Those that it has already would do the work.
        tokio::time::sleep(THREADS_KEPT).await;
        let tracer = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3"])
            .args(["-e", "inject=clone,clone3:error=EPERM", "-p"])
            .arg(house.process().to_string())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let status = format!("/proc/{}/status", house.process());
        let traced = || {
            let status = std::fs::read_to_string(&status).unwrap();
            (!status.contains("TracerPid:\t0\n")).then_some(())
        };
        assert!(soon(traced).await.is_some(), "it is not traced");
        Self(tracer)
    }
}

impl Drop for NoThreads {
    fn drop(&mut self) {
        // Asked to end, it lets go of the program first.
        let tracer = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(tracer, rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_panic_in_a_conversation_ends_its_turn_alone_and_says_so() {
    if !can_trace("a panic in a conversation") {
        return;
    }
    let (house, page) = House::with_owner(Door::Web).await;
    let code = house.new_code(None).await;
    let phone = house.enter(Door::Telegram, OWNER, &code).await;
    let none = NoThreads::from_now_on(&house).await;
    // Files are searched in a thread of their own.
    page.say("find lavender").await;
    page.told("Something in me failed while I worked on this, so I stopped.")
        .await;
    phone.say("remember the keys").await;
    phone.told("remembered").await;
    let status = house.cli(&["status"]).await;
    let says = "a conversation crashed 1 time and went on, last at ";
    assert!(status.out.contains(says), "{status:?}");
    assert!(!status.out.contains("lavender"), "{status:?}");
    drop(none);
    page.say("find lavender").await;
    page.told("(no line holds that)").await;
}

#[tokio::test]
async fn a_panic_in_a_line_connects_that_line_again_and_loses_nothing() {
    if !can_trace("a panic in a line") {
        return;
    }
    let mut house = House::build().await;
    // Names are looked up in a thread of their own, for each new connection.
    let file = house.home.config().join("postern.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    let named = settings.replace("http://127.0.0.1", "http://localhost");
    assert_ne!(settings, named);
    house.home.configure(&named);
    house.start().await;
    let phone = house.enter(Door::Telegram, OWNER, &house.code()).await;
    let code = house.new_code(None).await;
    let page = house.enter(Door::Web, OWNER, &code).await;
    let none = NoThreads::from_now_on(&house).await;
    for _ in 0..CONNECTIONS_KEPT {
        house.fake().inject("getupdates", Fault::Drop);
    }
    // The poll that is open answers, those after it do not.
    phone.say("remember the keys").await;
    phone.told("remembered").await;
    phone.say("remember the spare keys").await;
    let crashed = || house.errors().contains("a part of the program crashed");
    let crashed = soon(|| crashed().then_some(())).await;
    assert!(crashed.is_some(), "{}", house.errors());
    house.fake().forget_faults("getupdates");
    page.say("remember the lavender").await;
    page.told("remembered").await;
    let status = house.cli(&["status"]).await;
    let says = "the line phone crashed 1 time and went on, last at ";
    assert!(status.out.contains(says), "{status:?}");
    drop(none);
    let stored = || (house.count("SELECT count(*) FROM memory") == 3).then_some(());
    assert!(soon(stored).await.is_some(), "{}", house.errors());
}
