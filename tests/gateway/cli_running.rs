//! What a person reads at the terminal when a gateway runs.

use gateway::doctor::Check;
use gateway::folder::{Folder, Purpose};

use crate::keeper::{Gateway, Home, Scripted, page, read};

#[tokio::test]
async fn a_second_start_says_where_the_first_is() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:8790/");
    let said = home
        .serving(&keeper, Gateway::Elsewhere, home.run(&[]))
        .await;
    assert_eq!(
        read(&said),
        (
            0,
            "Postern is already running: http://127.0.0.1:8790/\nTo let another account in: postern pair\n",
            ""
        )
    );
}

#[test]
fn a_second_start_beside_one_that_does_not_answer_says_what_to_do() {
    let home = Home::new();
    let _held = Folder::open(Purpose::Data, &home.data())
        .unwrap()
        .hold()
        .unwrap();
    let said = home.command(&[]).output().unwrap();
    let at = home.data();
    assert_eq!(
        read(&said),
        (
            1,
            "",
            &*format!(
                "postern: another postern holds {}; stop it first, or set POSTERN_DATA to a folder of its own\n",
                at.display()
            )
        )
    );
}

#[tokio::test]
async fn a_code_is_shown_with_its_role_its_time_and_its_links() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let (owner, guest) = home
        .serving(&keeper, Gateway::Elsewhere, async {
            (
                home.run(&["pair"]).await,
                home.run(&["pair", "--guest", " Zoë O'Hara "]).await,
            )
        })
        .await;
    assert_eq!(
        read(&owner),
        (
            0,
            "Code ABCD2345 for 10 minutes, once: whoever sends it becomes you, the owner.\nSend /pair ABCD2345 in a direct chat, or open:\n  http://127.0.0.1:8787/#ABCD2345\n",
            ""
        )
    );
    assert_eq!(
        read(&guest),
        (
            0,
            "Code ABCD2345 for 10 minutes, once: Zoë O'Hara becomes your guest.\nSend /pair ABCD2345 in a direct chat, or open:\n  http://127.0.0.1:8787/#ABCD2345\n",
            ""
        )
    );
    assert_eq!(
        *keeper.asked.lock().unwrap(),
        ["Owner", "Guest { name: \"Zoë O'Hara\" }"]
    );
}

#[tokio::test]
async fn a_refusal_of_the_gateway_is_shown_as_it_is_given() {
    let home = Home::new();
    let mut keeper = Scripted::new("http://127.0.0.1:1/");
    keeper.refuses = Some("three codes live already; wait until one ends");
    for arguments in [&["pair"][..], &["unpair", "web:1"]] {
        let said = home
            .serving(&keeper, Gateway::Elsewhere, home.run(arguments))
            .await;
        assert_eq!(
            read(&said),
            (
                1,
                "",
                "postern: three codes live already; wait until one ends\n"
            )
        );
    }
}

#[tokio::test]
async fn one_place_or_every_place_is_let_go() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let (one, all) = home
        .serving(&keeper, Gateway::Elsewhere, async {
            (
                home.run(&["unpair", "web:9"]).await,
                home.run(&["unpair", "--all"]).await,
            )
        })
        .await;
    assert_eq!(
        read(&one),
        (
            0,
            "web:9 of Ann is let go, and 1 open card withdrawn.\n",
            ""
        )
    );
    assert_eq!(
        read(&all),
        (
            0,
            "web:1 of Ann is let go, and 1 open card withdrawn.\nfamily:7 of Ann is let go, and 1 open card withdrawn.\n",
            ""
        )
    );
    assert_eq!(
        *keeper.asked.lock().unwrap(),
        ["web:9", "web:1", "family:7"]
    );
}

#[tokio::test]
async fn the_status_shows_everything_and_fails_when_the_page_does_not_answer() {
    let home = Home::new();
    for (answer, code, says) in [
        ("200 OK", 0, "answers"),
        (
            "503 Service Unavailable",
            1,
            "does not answer (it reports that it is not well); restart Postern",
        ),
    ] {
        let (said, web) = page(answer, async |web| {
            let keeper = Scripted::new(&web);
            let said = home
                .serving(&keeper, Gateway::Elsewhere, home.run(&["status"]))
                .await;
            (said, web)
        })
        .await;
        let (got, out, err) = read(&said);
        let (head, rest) = out.split_once('\n').unwrap();
        assert!(
            head.starts_with("Postern is running. Version 0.1.0, for ") && head.ends_with(" days."),
            "{head}"
        );
        assert_eq!(
            (got, rest, err),
            (
                code,
                &*format!(
                    "  web chat  {web} {says}\n  \
                       line      family (telegram): stopped, the platform refuses the credentials\n  \
                       model     practice\n  \
                       owner     Ann at web:1, family:7\n  \
                       code      ab941767 in /home/ann/sum (open, linked to family)\n  \
                       waiting   1 open card, 2 live codes\n  \
                       note      twenty wrong codes voided all\n"
                ),
                ""
            )
        );
    }
}

#[tokio::test]
async fn the_doctor_shows_what_the_gateway_sees_and_fails_with_it() {
    let home = Home::new();
    let said = page("200 OK", async |web| {
        let mut keeper = Scripted::new(&web);
        keeper.status.version = "0.0.9".to_owned();
        keeper.checks.push(Check::fail(
            "line family",
            "the platform refuses the credentials; put a fresh token in its file",
        ));
        home.serving(&keeper, Gateway::Elsewhere, home.run(&["doctor"]))
            .await
    })
    .await;
    let (code, out, err) = read(&said);
    let ends: Vec<&str> = out
        .lines()
        .filter(|line| !line.contains("web chat"))
        .collect();
    assert_eq!((code, err), (1, ""));
    assert_eq!(
        ends,
        [
            &*format!(
                "ok    configuration folder: {} is not there yet; postern makes it",
                home.config().display()
            ),
            &*format!(
                "ok    data folder: {} is yours alone",
                home.data().display()
            ),
            "warn  gateway: version 0.0.9 is running and this program is 0.1.0; restart it",
            "ok    store: it takes what it is given",
            "fail  line family: the platform refuses the credentials; put a fresh token in its file",
            "1 thing to mend.",
        ]
    );
    assert!(out.contains("/ answers\n"), "{out}");
}

#[tokio::test]
async fn a_line_that_does_not_hear_has_no_link_and_pair_says_why() {
    let home = Home::new();
    let mut keeper = Scripted::new("http://127.0.0.1:1/");
    keeper.without_link = keeper.status.lines.clone();
    let said = home
        .serving(&keeper, Gateway::Elsewhere, home.run(&["pair", "--no-qr"]))
        .await;
    let (code, out, err) = read(&said);
    assert_eq!((code, err), (0, ""));
    assert!(
        out.ends_with("/#ABCD2345\n  family (telegram) has no link now: the platform refuses the credentials\n"),
        "{out}"
    );
}

#[tokio::test]
async fn what_is_sent_from_the_terminal_is_said_in_a_chat_that_is_named() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let (plain, named) = home
        .serving(&keeper, Gateway::Elsewhere, async {
            (
                home.run(&["send", "good", "morning"]).await,
                home.run(&["send", "--to", "web 1", "hello"]).await,
            )
        })
        .await;
    for said in [&plain, &named] {
        assert_eq!(
            read(said),
            (0, "Said in web 1; the answer comes there.\n", "")
        );
    }
    assert_eq!(
        *keeper.asked.lock().unwrap(),
        ["good morning to None", "hello to Some(\"web 1\")"]
    );
}

#[tokio::test]
async fn f74_nothing_that_the_gateway_started_can_speak_for_the_owner() {
    let home = Home::new();
    let keeper = Scripted::new("http://127.0.0.1:1/");
    let said = home
        .serving(
            &keeper,
            Gateway::ThisTest,
            home.run(&["send", "write x: y"]),
        )
        .await;
    assert_eq!(
        read(&said),
        (
            1,
            "",
            "postern: what Postern itself started may not ask it; type the command in a terminal of your own\n"
        )
    );
    assert!(keeper.asked.lock().unwrap().is_empty());
}
