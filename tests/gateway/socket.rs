//! The socket answers its owner and nobody else.

use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use gateway::folder::{Folder, Purpose};
use gateway::socket::kin::{Refusal, refuse};
use gateway::socket::{Answer, AskError, Request, Socket, ask};
use rustix::process::{Pid, getpid, getuid};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::keeper::{Gateway, Home, Scripted, status};

const KIN: &str =
    "what Postern itself started may not ask it; type the command in a terminal of your own";

#[tokio::test]
async fn the_owner_gets_an_answer() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let answer = home
        .serving(
            &keeper,
            Gateway::Elsewhere,
            ask(&folder(&home), &Request::Status),
        )
        .await;
    assert_eq!(
        answer.unwrap(),
        Answer::Status(status("http://127.0.0.1:1/"))
    );
}

#[tokio::test]
async fn the_gateway_itself_and_what_it_started_are_refused() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let (itself, child) = home
        .serving(&keeper, Gateway::ThisTest, async {
            (
                ask(&folder(&home), &Request::Status).await,
                home.run(&["pair"]).await,
            )
        })
        .await;
    assert!(matches!(itself, Err(AskError::Refused(why)) if why == KIN));
    assert_eq!(
        String::from_utf8(child.stderr).unwrap(),
        format!("postern: {KIN}\n")
    );
    assert_eq!(*keeper.asked.lock().unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_child_that_left_its_parent_and_session_is_refused_too() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let said = home.path().join("said");
    let script = format!(
        "(sleep 0.3; '{}' pair >'{said}.part' 2>&1; mv '{said}.part' '{said}') </dev/null >/dev/null 2>&1 &",
        env!("CARGO_BIN_EXE_postern"),
        said = said.display()
    );
    let text = home
        .serving(&keeper, Gateway::ThisTest, async {
            let done = std::process::Command::new("setsid")
                .args(["--fork", "sh", "-c", &script])
                .env("POSTERN_DATA", home.data())
                .status();
            assert!(done.unwrap().success());
            let begun = Instant::now();
            loop {
                if let Ok(text) = std::fs::read_to_string(&said) {
                    return text;
                }
                assert!(begun.elapsed() < Duration::from_secs(20), "it says nothing");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    assert_eq!(text, format!("postern: {KIN}\n"));
    assert_eq!(*keeper.asked.lock().unwrap(), Vec::<String>::new());
}

#[test]
fn another_user_and_a_process_that_is_gone_are_refused() {
    let us = getuid().as_raw();
    let pid = |pid: Pid| Some(pid.as_raw_nonzero().get());
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let gone = Pid::from_child(&child);
    child.wait().unwrap();
    let init = Pid::INIT;
    assert_eq!(
        [
            refuse(us + 1, pid(init), getpid()),
            refuse(us, None, getpid()),
            refuse(us, Some(0), getpid()),
            refuse(us, pid(gone), getpid()),
            refuse(us, pid(getpid()), getpid()),
            refuse(us, pid(getpid()), init),
            refuse(us, pid(init), getpid()),
        ],
        [
            Some(Refusal::OtherUser),
            Some(Refusal::Unknown),
            Some(Refusal::Unknown),
            Some(Refusal::Unknown),
            Some(Refusal::Kin),
            Some(Refusal::Kin),
            None,
        ]
    );
    assert_eq!(
        [Refusal::OtherUser, Refusal::Unknown].map(|why| why.to_string()),
        [
            "only the user who runs Postern may ask it; log in as that user",
            "the system does not say which process is asking; type the command in a terminal of your own"
        ]
    );
}

#[tokio::test]
async fn what_is_no_question_is_told_so_and_hurts_nobody() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let cases: [Vec<u8>; 5] = [
        b"status\n".to_vec(),
        b"{\"ask\":\"everything\"}\n".to_vec(),
        b"{\"ask\":\"unpair\",\"place\":\"a\",\"also\":\"b\"}\n".to_vec(),
        vec![0xff, b'\n'],
        [vec![b' '; 131_500], b"{\"ask\":\"status\"}\n".to_vec()].concat(),
    ];
    home.serving(&keeper, Gateway::Elsewhere, async {
        for question in cases {
            let answer = raw(&home, &question).await;
            assert!(
                answer
                    .starts_with(r#"{"answer":"refused","why":"the question was not understood: "#),
                "{answer}"
            );
        }
        assert!(ask(&folder(&home), &Request::Status).await.is_ok());
    })
    .await;
    assert_eq!(*keeper.asked.lock().unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_let_go_and_others_are_answered_meanwhile() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    home.serving(&keeper, Gateway::Elsewhere, async {
        let mut silent = UnixStream::connect(folder(&home).socket()).await.unwrap();
        silent.write_all(b"{").await.unwrap();
        assert!(ask(&folder(&home), &Request::Status).await.is_ok());
        let mut heard = Vec::new();
        tokio::time::timeout(Duration::from_secs(8), silent.read_to_end(&mut heard))
            .await
            .expect("it is let go within its time")
            .unwrap();
        assert_eq!(heard, Vec::<u8>::new());
    })
    .await;
}

#[tokio::test]
async fn the_socket_is_its_owners_alone_replaces_a_stale_one_and_goes_with_the_gateway() {
    let home = Home::new();
    let path = folder(&home).socket();
    drop(UnixListener::bind(&path).unwrap());
    assert!(matches!(
        ask(&folder(&home), &Request::Status).await,
        Err(AskError::NotRunning)
    ));

    let data = folder(&home).hold().unwrap();
    let socket = Socket::open(&data).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    drop(socket);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_is_an_error_that_says_what_to_do() {
    let home = Home::new();
    let long = home.path().join("a".repeat(120));
    let data = Folder::open(Purpose::Data, &long).unwrap().hold().unwrap();
    let said = Socket::open(&data).unwrap_err().to_string();
    assert_eq!(
        said,
        format!(
            "cannot open {}/postern.sock: path must be shorter than SUN_LEN; a shorter path in POSTERN_DATA, or removing what stands there, helps",
            long.display()
        )
    );
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_said_to_be_one() {
    let home = Home::new();
    let listener = tokio::net::UnixListener::bind(folder(&home).socket()).unwrap();
    let folder = folder(&home);
    let (said, ()) = tokio::join!(ask(&folder, &Request::Status), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"{\"answer\":\"other\"}\n").await.unwrap();
    });
    let said = said.unwrap_err().to_string();
    assert!(
        said.starts_with("the running Postern did not answer properly (unknown variant `other`")
            && said.ends_with("; if it was just updated, restart it"),
        "{said}"
    );
}

fn folder(home: &Home) -> Folder {
    Folder::open(Purpose::Data, &home.data()).unwrap()
}

async fn raw(home: &Home, question: &[u8]) -> String {
    let mut stream = UnixStream::connect(folder(home).socket()).await.unwrap();
    // The gateway may answer and close before it has read everything.
    let _ = stream.write_all(question).await;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await.unwrap();
    answer
}
