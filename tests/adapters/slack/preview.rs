//! What stands there while an answer is written, and what takes its place?

use fakes::slack::Fault;

use super::*;

async fn a_pane(fake: &Fake, anna: &User) -> Chat {
    let root = fake.say(anna, &anna.direct(), "hi");
    anna.direct().thread(&root)
}

/// Before anything is shown, one letter has to have been sent: until then it is not known what
/// stands there.
async fn ready(adapter: &Arc<dyn Adapter>, chat: &Chat) {
    send_all(adapter, &place(chat), &notice("first")).await;
}

async fn shows(adapter: &Arc<dyn Adapter>, chat: &Chat, text: &str) {
    adapter.preview(&place(chat), text).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1250)).await;
}

#[tokio::test]
async fn a_thread_shows_a_stream_and_the_answer_takes_its_place() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    ready(&adapter, &pane).await;
    shows(&adapter, &pane, "one").await;
    shows(&adapter, &pane, "one two <@U01BORIS>").await;
    let streamed = fake.messages(&pane)[1].clone();
    assert!(streamed.streaming);
    assert_eq!(streamed.text, "one two &lt;[@]U01BORIS&gt;");
    let id = send_all(&adapter, &place(&pane), &notice("one two three")).await;
    let shown = fake.messages(&pane);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!(
        (shown[1].ts.as_str(), shown[1].text.as_str()),
        (id[0].as_str(), "one two three")
    );
    assert!(!shown[1].streaming);
    send_all(&adapter, &place(&pane), &notice("next")).await;
    assert_eq!(fake.messages(&pane).len(), 3);
}

#[tokio::test]
async fn without_streams_and_outside_of_threads_a_message_is_changed() {
    let (fake, adapter, anna) = started().await;
    fake.without_streams();
    let pane = a_pane(&fake, &anna).await;
    for chat in [pane, anna.direct()] {
        ready(&adapter, &chat).await;
        shows(&adapter, &chat, "one").await;
        shows(&adapter, &chat, "one two").await;
        assert_eq!(fake.messages(&chat)[1].text, "one two");
        send_all(&adapter, &place(&chat), &notice("whole")).await;
        let texts: Vec<String> = fake
            .messages(&chat)
            .into_iter()
            .map(|shown| shown.text)
            .collect();
        assert_eq!(texts, ["first", "whole"]);
    }
}

#[tokio::test]
async fn changes_come_no_faster_than_slack_lets_them() {
    let (fake, adapter, anna) = started().await;
    let chat = anna.direct();
    ready(&adapter, &chat).await;
    for text in ["a", "a b", "a b c", "a b c d"] {
        adapter.preview(&place(&chat), text).await.unwrap();
    }
    assert_eq!(fake.calls_of("chat.update").len(), 0);
    assert_eq!(fake.calls_of("chat.postMessage").len(), 2);
}

#[tokio::test]
async fn f35_what_was_being_written_when_the_program_ended_is_taken_over_by_the_answer() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    for chat in [anna.direct(), pane] {
        ready(&adapter, &chat).await;
        shows(&adapter, &chat, "half of it").await;
        let again = built(serde_json::json!({
            "token_file": kept("bot", BOT), "app_token_file": kept("app", APP), "api": fake.url(),
        }))
        .unwrap();
        send_all(&again, &place(&chat), &notice("all of it")).await;
        let texts: Vec<String> = fake
            .messages(&chat)
            .into_iter()
            .map(|shown| shown.text)
            .collect();
        assert_eq!(texts, ["first", "all of it"], "{chat:?}");
        // What is whole is never written over.
        let later = built(serde_json::json!({
            "token_file": kept("bot", BOT), "app_token_file": kept("app", APP), "api": fake.url(),
        }))
        .unwrap();
        send_all(&later, &place(&chat), &notice("and more")).await;
        assert_eq!(fake.messages(&chat).len(), 3);
    }
}

#[tokio::test]
async fn f34_f36_a_preview_whose_answer_was_lost_is_found_again() {
    let (fake, adapter, anna) = started().await;
    let chat = anna.direct();
    ready(&adapter, &chat).await;
    fake.inject("chat.postMessage", Fault::Drop);
    let lost = adapter.preview(&place(&chat), "half").await.unwrap_err();
    assert_eq!(lost, AdapterError::Ambiguous);
    send_all(&adapter, &place(&chat), &notice("whole")).await;
    let texts: Vec<String> = fake
        .messages(&chat)
        .into_iter()
        .map(|shown| shown.text)
        .collect();
    assert_eq!(texts, ["first", "whole"]);
}

#[tokio::test]
async fn a_preview_that_was_deleted_costs_no_answer() {
    let (fake, adapter, anna) = started().await;
    let chat = anna.direct();
    ready(&adapter, &chat).await;
    shows(&adapter, &chat, "half").await;
    fake.inject("chat.update", Fault::Refuse("message_not_found"));
    send_all(&adapter, &place(&chat), &notice("whole")).await;
    assert_eq!(fake.messages(&chat).last().unwrap().text, "whole");
}

#[tokio::test]
async fn others_in_a_channel_see_nothing_unfinished() {
    let (fake, adapter, _) = started().await;
    let team = fake.channel("C01TEAM");
    ready(&adapter, &team).await;
    shows(&adapter, &team, "half").await;
    assert_eq!(fake.messages(&team).len(), 1);
}
