//! What the model may use up is bounded, for each turn and each day, over restarts too.

use fakes::model::{Form, NOTHING, Turn};
use serde_json::json;

use super::chat::Door;
use super::mind::with_model;

#[tokio::test]
async fn a_day_s_calls_are_counted_over_restarts_and_shown() {
    let (mut house, chat, model) = with_model(
        Door::Web,
        Form::OpenAi,
        "price = { input = 10.0, output = 100.0 }\nbudget = { calls_per_day = 2 }",
    )
    .await;
    model.will(Turn::say("One."));
    chat.say("first").await;
    chat.told("One.").await;
    house.kill_and_start().await;
    model.will(Turn::say("Two."));
    chat.say("second").await;
    chat.told("Two.").await;
    chat.say("third").await;
    chat.told("Today's budget for the model is used up (2 of 2 calls); it is free again at 00:00 UTC, or the owner raises budget in [model]. Nothing is lost.").await;
    assert_eq!(model.asked().len(), 2);
    let status = house.cli(&["status"]).await;
    let today = "today: asked 2 times, 220 tokens, 0.0040 of money";
    assert!(status.out.contains(today), "{status:?}");
}

#[tokio::test]
async fn a_day_s_tokens_and_money_are_bounded() {
    for (budget, says) in [
        ("tokens_per_day = 100", "(110 of 100 tokens)"),
        ("money_per_day = 0.001", "(0.0020 of 0.001 of money)"),
    ] {
        let (_house, chat, model) = with_model(
            Door::Web,
            Form::Anthropic,
            &format!("price = {{ input = 10.0, output = 100.0 }}\nbudget = {{ {budget} }}"),
        )
        .await;
        chat.say("first").await;
        chat.told(NOTHING).await;
        chat.say("second").await;
        chat.told(&format!("Today's budget for the model is used up {says}"))
            .await;
        assert_eq!(model.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_turn_s_calls_are_bounded_and_the_next_turn_has_its_own() {
    let (_house, chat, model) =
        with_model(Door::Web, Form::OpenAi, "budget = { calls_per_turn = 1 }").await;
    model.will(Turn::call("files__read", json!({"file": "a.txt"})));
    chat.say("read it").await;
    chat.told("The budget of this turn is used up (1 of 1 calls); write again to begin another, or the owner raises budget in [model]. Nothing is lost.").await;
    model.will(Turn::say("Here I am."));
    chat.say("again").await;
    chat.told("Here I am.").await;
}

#[tokio::test]
async fn what_its_workers_ask_counts_in_the_turn() {
    let (house, chat, model) =
        with_model(Door::Web, Form::OpenAi, "budget = { calls_per_turn = 3 }").await;
    let tasks = json!({"tasks": ["one", "two", "three", "four"]});
    model.will(Turn::call("delegate__run", tasks));
    for answer in ["first", "second", "third", "fourth", "fifth"] {
        model.will(Turn::say(answer));
    }
    chat.say("do them").await;
    chat.told("The budget of this turn is used up (3 of 3 calls)")
        .await;
    let asked = "SELECT count(*) FROM thought";
    assert_eq!(house.count(asked), 3);
    chat.say("again").await;
    chat.told("third").await;
    assert_eq!(house.count(asked), 4);
}
