//! What stands on the screen, and what came of each call?

use bot_policy::event::{FileKind, ReplyHandle};
use bot_policy::message::Enclosure;
use fakes::slack::{Fault, Told};

use super::*;

#[tokio::test]
async fn f41_an_answer_stands_in_the_thread_of_the_question() {
    let (fake, adapter, anna) = started().await;
    let team = fake.channel("C01TEAM");
    let root = fake.say(&anna, &team, "hi");
    let thread = team.thread(&root);
    send_all(&adapter, &place(&thread), &notice("in the thread")).await;
    assert_eq!(fake.messages(&team), []);
    assert_eq!(fake.messages(&thread)[0].text, "in the thread");
    // What cannot be put there is told, and put nowhere else.
    let part = adapter.encode(&notice("lost"))[0].clone();
    let gone = place(&team.thread("1.1"));
    let error = adapter.send(&gone, &part, SendKey(1)).await.unwrap_err();
    assert_eq!(error, AdapterError::Refused("thread_not_found".to_owned()));
    assert_eq!(fake.messages(&team), []);
}

#[tokio::test]
async fn f91_nothing_is_unfurled_and_nobody_is_pinged() {
    let (fake, adapter, anna) = started().await;
    let text = "<!channel> <@U01BORIS> @here <#C01TEAM> https://evil.example/x?k=1 & <b>";
    send_all(&adapter, &place(&anna.direct()), &notice(text)).await;
    send_all(
        &adapter,
        &place(&anna.direct()),
        &reply(text, Addresses::Inert),
    )
    .await;
    let calls = fake.calls_of("chat.postMessage");
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert_eq!(call["unfurl_links"], false);
        assert_eq!(call["unfurl_media"], false);
        assert_eq!(call["link_names"], false);
        assert_eq!(call["parse"], "none");
        assert_eq!(call["mrkdwn"], false);
    }
    assert_eq!(fake.messages(&anna.direct())[0].text, text);
    assert_eq!(
        calls[0]["text"],
        "&lt;!channel&gt; &lt;@U01BORIS&gt; @here &lt;#C01TEAM&gt; https://evil.example/x?k=1 &amp; &lt;b&gt;"
    );
    let inert = calls[1]["blocks"].to_string();
    assert!(!inert.contains("\"link\""), "{inert}");
}

#[tokio::test]
async fn an_edit_takes_the_buttons_away() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    let id = send_all(&adapter, &chat, &notice("before")).await.remove(0);
    let part = adapter.encode(&notice("after"))[0].clone();
    adapter.edit(&chat, &id, &part).await.unwrap();
    let shown = fake.shown(&anna.direct(), id.as_str());
    assert_eq!(
        (shown.text.as_str(), shown.before),
        ("after", vec!["before".to_owned()])
    );
}

#[tokio::test]
async fn each_outcome_says_what_can_be_done_about_it() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    let part = adapter.encode(&notice("hello"))[0].clone();
    let later = |why: &str, after| AdapterError::Retry {
        after,
        why: why.to_owned(),
    };
    for (fault, wanted) in [
        (
            Fault::Refuse("account_inactive"),
            AdapterError::Credentials("account_inactive".to_owned()),
        ),
        (
            Fault::Refuse("is_archived"),
            AdapterError::Refused("is_archived".to_owned()),
        ),
        (Fault::Refuse("internal_error"), AdapterError::Ambiguous),
        (Fault::Drop, AdapterError::Ambiguous),
        (Fault::Status(502), AdapterError::Ambiguous),
        (
            Fault::TooMany(7),
            later("it asks us to slow down", Some(Duration::from_secs(7))),
        ),
    ] {
        fake.inject("chat.postMessage", fault.clone());
        let error = adapter.send(&chat, &part, SendKey(1)).await.unwrap_err();
        assert_eq!(error, wanted, "{fault:?}");
    }
    fake.grant(&["im:history"]);
    let error = adapter.send(&chat, &part, SendKey(1)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the platform refuses it: the app lacks the scope chat:write; add it under OAuth & Permissions and install the app again"
    );
    let elsewhere = place(&Chat::at("C01OTHER"));
    fake.grant(&["chat:write"]);
    let error = adapter
        .send(&elsewhere, &part, SendKey(1))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the platform refuses it: not_in_channel: the app is not in this channel; invite it there"
    );
}

#[tokio::test]
async fn blocks_that_are_refused_go_out_as_bare_text_with_no_address_in_it() {
    let (fake, adapter, anna) = started().await;
    fake.inject("chat.postMessage", Fault::Refuse("invalid_blocks"));
    let message = reply("see https://evil.example", Addresses::Inert);
    send_all(&adapter, &place(&anna.direct()), &message).await;
    let shown = &fake.messages(&anna.direct())[0];
    assert_eq!(shown.text, "see https[:][/][/]evil[.]example");
    assert!(shown.blocks.is_empty());
}

#[tokio::test]
async fn a_notice_is_for_the_one_who_pressed() {
    let (fake, adapter, _) = started().await;
    let team = fake.channel("C01TEAM");
    let reply = ReplyHandle("C01TEAM U01ANNA 1790000000.000100".to_owned());
    adapter
        .acknowledge(&reply, Some("not <yours>"))
        .await
        .unwrap();
    adapter.acknowledge(&reply, None).await.unwrap();
    let nobody = ReplyHandle("C01TEAM ".to_owned());
    adapter.acknowledge(&nobody, Some("hm")).await.unwrap();
    assert_eq!(
        fake.told(),
        [Told {
            channel: team.id,
            user: "U01ANNA".to_owned(),
            thread: Some("1790000000.000100".to_owned()),
            text: "not <yours>".to_owned(),
        }]
    );
}

#[tokio::test]
async fn only_a_thread_of_a_direct_chat_shows_that_an_answer_is_written() {
    let (fake, adapter, anna) = started().await;
    let team = fake.channel("C01TEAM");
    let root = fake.say(&anna, &anna.direct(), "hi");
    for chat in [anna.direct(), team.clone(), team.thread("1.2")] {
        adapter.typing(&place(&chat)).await.unwrap();
    }
    assert_eq!(fake.calls_of("assistant.threads.setStatus").len(), 0);
    let pane = anna.direct().thread(&root);
    adapter.typing(&place(&pane)).await.unwrap();
    let key = (pane.id.clone(), root);
    assert_eq!(fake.statuses()[&key], "is thinking...");
    send_all(&adapter, &place(&pane), &notice("done")).await;
    assert_eq!(fake.statuses().get(&key), None);
}

fn enclosed(bytes: &[u8], caption: &str) -> (OutboundMessage, std::path::PathBuf) {
    let digest = "a".repeat(64);
    let folder = tempfolder();
    std::fs::write(folder.join(&digest), bytes).unwrap();
    let file = Enclosure {
        digest,
        name: "notes.txt".to_owned(),
        kind: FileKind::Document,
        bytes: bytes.len() as u64,
        caption: caption.to_owned(),
        addresses: Addresses::Inert,
    };
    let message = OutboundMessage {
        body: Body::File(file),
        answers: None,
    };
    (message, folder)
}

#[tokio::test]
async fn a_file_is_handed_in_and_shown_in_its_thread_with_its_words_after_it() {
    let (fake, adapter, anna) = started().await;
    let root = fake.say(&anna, &anna.direct(), "hi");
    let pane = anna.direct().thread(&root);
    let (message, folder) = enclosed(b"hello file", "here it is");
    adapter.set_outgoing(&folder);
    send_all(&adapter, &place(&pane), &message).await;
    let shown = fake.messages(&pane);
    let sent = &shown[0].files[0];
    assert_eq!(
        (sent.name.as_str(), sent.bytes.as_slice()),
        ("notes.txt", &b"hello file"[..])
    );
    assert_eq!(shown[1].text, "here it is");
    let told = &fake.calls_of("files.completeUploadExternal")[0];
    assert_eq!(told.get("initial_comment"), None);
}

#[tokio::test]
async fn f94_a_token_goes_to_slacks_own_hosts_and_nowhere_else() {
    let (fake, adapter, _) = started().await;
    fake.file("F01ONE", "text/plain", b"inside");
    assert_eq!(adapter.fetch("F01ONE", 100).await.unwrap(), b"inside");
    let error = adapter.fetch("F01ONE", 3).await.unwrap_err();
    assert_eq!(
        error,
        AdapterError::Refused("the file is larger than 3 bytes".to_owned())
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let elsewhere = listener.local_addr().unwrap();
    for url in [
        format!("http://{elsewhere}/x"),
        "https://slack.com.evil.example/x".to_owned(),
        "https://evilslack.com/x".to_owned(),
        "http://files.slack.com/x".to_owned(),
        "https://files.slack.com:8443/x".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        fake.file_at("F02TWO", &url);
        let error = adapter.fetch("F02TWO", 100).await.unwrap_err();
        assert_eq!(
            error,
            AdapterError::Refused("the file does not lie at Slack".to_owned()),
            "{url}"
        );
    }
    let nobody = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(nobody.is_err(), "somebody came");
}

#[tokio::test]
async fn a_page_to_sign_in_on_is_no_file() {
    let (fake, adapter, _) = started().await;
    fake.file(
        "F01ONE",
        "text/plain",
        b"<!DOCTYPE html><html>Sign in</html>",
    );
    let error = adapter.fetch("F01ONE", 1000).await.unwrap_err();
    assert_eq!(
        error,
        AdapterError::Refused(
            "it shows a page instead of the file; the app lacks the scope files:read".to_owned()
        )
    );
    let error = adapter.fetch("F99NONE", 1000).await.unwrap_err();
    assert_eq!(error, AdapterError::Refused("file_not_found".to_owned()));
}
