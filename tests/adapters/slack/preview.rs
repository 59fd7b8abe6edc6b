//! What stands there while an answer is written, and what takes its place?

use adapters::Attempt;
use fakes::slack::Fault;

use super::*;

async fn a_pane(fake: &Fake, anna: &User) -> Chat {
    let root = fake.say(anna, &anna.direct(), "hi");
    anna.direct().thread(&root)
}

fn part(adapter: &Arc<dyn Adapter>, text: &str) -> Encoded {
    let guarded = Notice {
        addresses: Addresses::Inert,
        text: text.to_owned(),
        choices: Choices::default(),
    };
    let message = OutboundMessage {
        body: Body::Notice(guarded),
        answers: None,
    };
    adapter.encode(&message).remove(0)
}

async fn begin(
    adapter: &Arc<dyn Adapter>,
    chat: &Chat,
    text: &str,
    attempt: Attempt,
) -> Result<MessageRef, AdapterError> {
    let part = part(adapter, text);
    adapter
        .begin(&place(chat), &part, SendKey(7), attempt)
        .await
}

async fn grow(adapter: &Arc<dyn Adapter>, chat: &Chat, on: &MessageRef, text: &str) {
    let part = part(adapter, text);
    adapter.grow(&place(chat), on, &part).await.unwrap();
}

/// The answer takes its place.
async fn finish(adapter: &Arc<dyn Adapter>, chat: &Chat, on: &MessageRef, text: &str) {
    let part = adapter.encode(&notice(text)).remove(0);
    adapter.edit(&place(chat), on, &part).await.unwrap();
}

fn texts(fake: &Fake, chat: &Chat) -> Vec<String> {
    let shown = fake.messages(chat).into_iter();
    shown.map(|shown| shown.text).collect()
}

/// The adapter after the program ended and began again.
fn restarted(fake: &Fake) -> Arc<dyn Adapter> {
    built(serde_json::json!({
        "token_file": kept("bot", BOT), "app_token_file": kept("app", APP), "api": fake.url(),
    }))
    .unwrap()
}

#[tokio::test]
async fn a_thread_shows_a_stream_and_the_answer_takes_its_place() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    let on = begin(&adapter, &pane, "one", Attempt::First).await.unwrap();
    grow(&adapter, &pane, &on, "one two <@U01BORIS>").await;
    grow(&adapter, &pane, &on, "one two <@U01BORIS>").await;
    let streamed = fake.messages(&pane)[0].clone();
    assert!(streamed.streaming);
    assert_eq!(streamed.text, "one two &lt;[@]U01BORIS&gt;");
    // What is said differently now is left to the answer.
    grow(&adapter, &pane, &on, "two").await;
    assert_eq!(fake.calls_of("chat.appendStream").len(), 1);
    finish(&adapter, &pane, &on, "one two three").await;
    let shown = fake.messages(&pane);
    assert_eq!(texts(&fake, &pane), ["one two three"]);
    assert!(!shown[0].streaming);
    assert_eq!(shown[0].ts, on.as_str());
}

#[tokio::test]
async fn without_streams_and_outside_of_threads_a_message_is_changed() {
    let (fake, adapter, anna) = started().await;
    fake.without_streams();
    let pane = a_pane(&fake, &anna).await;
    for chat in [pane, anna.direct()] {
        let on = begin(&adapter, &chat, "one", Attempt::First).await.unwrap();
        grow(&adapter, &chat, &on, "one two").await;
        assert_eq!(texts(&fake, &chat), ["one two"]);
        finish(&adapter, &chat, &on, "whole").await;
        assert_eq!(texts(&fake, &chat), ["whole"]);
    }
}

#[tokio::test]
async fn f35_what_was_being_written_when_the_program_ended_goes_on_and_is_finished() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    for chat in [anna.direct(), pane.clone()] {
        for grows in [true, false] {
            let on = begin(&adapter, &chat, "half", Attempt::First)
                .await
                .unwrap();
            let again = restarted(&fake);
            if grows {
                grow(&again, &chat, &on, "half of it").await;
                assert_eq!(texts(&fake, &chat).last().unwrap(), "half of it");
            }
            finish(&again, &chat, &on, "all of it").await;
            assert_eq!(texts(&fake, &chat).last().unwrap(), "all of it");
            assert!(!fake.messages(&chat).last().unwrap().streaming);
        }
        assert_eq!(texts(&fake, &chat), ["all of it", "all of it"]);
    }
}

#[tokio::test]
async fn f34_f36_what_was_begun_and_whose_answer_was_lost_is_found_again_and_nothing_else() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    for (chat, method) in [
        (anna.direct(), "chat.postMessage"),
        (pane, "chat.startStream"),
    ] {
        send_all(&adapter, &place(&chat), &notice("first")).await;
        fake.inject(method, Fault::Drop);
        let lost = begin(&adapter, &chat, "half", Attempt::First).await;
        assert_eq!(lost.unwrap_err(), AdapterError::Ambiguous);
        let again = restarted(&fake);
        let on = begin(&again, &chat, "half of it", Attempt::Again).await;
        finish(&again, &chat, &on.unwrap(), "whole").await;
        assert_eq!(texts(&fake, &chat), ["first", "whole"], "{chat:?}");
        // Where nothing was begun, nothing that stands there is written over.
        fake.inject(method, Fault::Status(500));
        let lost = begin(&adapter, &chat, "next", Attempt::First).await;
        assert_eq!(lost.unwrap_err(), AdapterError::Ambiguous);
        let on = begin(&adapter, &chat, "next", Attempt::Again)
            .await
            .unwrap();
        finish(&adapter, &chat, &on, "the next").await;
        assert_eq!(
            texts(&fake, &chat),
            ["first", "whole", "the next"],
            "{chat:?}"
        );
    }
}

#[tokio::test]
async fn f28_a_letter_whose_blocks_were_refused_is_never_written_over() {
    let (fake, adapter, anna) = started().await;
    let pane = a_pane(&fake, &anna).await;
    for chat in [anna.direct(), pane] {
        fake.inject("chat.postMessage", Fault::Refuse("invalid_blocks"));
        send_all(&adapter, &place(&chat), &notice("bare")).await;
        let again = restarted(&fake);
        let on = begin(&again, &chat, "half", Attempt::Again).await;
        on.unwrap();
        send_all(&again, &place(&chat), &notice("and more")).await;
        assert_eq!(texts(&fake, &chat), ["bare", "half", "and more"]);
    }
}

#[tokio::test]
async fn what_was_begun_and_deleted_is_refused_so_that_the_answer_is_posted_anew() {
    let (fake, adapter, anna) = started().await;
    let chat = anna.direct();
    let on = begin(&adapter, &chat, "half", Attempt::First)
        .await
        .unwrap();
    fake.inject("chat.update", Fault::Refuse("message_not_found"));
    let part = part(&adapter, "whole");
    let gone = adapter.edit(&place(&chat), &on, &part).await.unwrap_err();
    assert_eq!(gone, AdapterError::Refused("message_not_found".to_owned()));
}
