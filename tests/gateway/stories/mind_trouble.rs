//! The model has trouble; the person reads one clear line, and nothing is lost or said twice.

use fakes::model::{Asked, Fake, Form, KEY, Turn};
use serde_json::json;

use super::chat::{Chat, Door};
use super::house::{House, OWNER};
use super::mind::{all_taken, settings, with_model};

const TRY_AGAIN: &str = "nothing is lost, write again to try again";

/// Whether a text stands anywhere that somebody or something could read it.
async fn stands_anywhere(house: &House, chat: &Chat, text: &str) -> bool {
    let screen = format!("{:?}", chat.screen().await);
    let status = house.cli(&["status"]).await;
    let doctor = house.cli(&["doctor"]).await;
    let said = [
        screen,
        house.errors(),
        house.banner().to_owned(),
        status.out,
        doctor.out,
    ];
    said.iter().any(|said| said.contains(text)) || in_data(house, text)
}

fn in_data(house: &House, text: &str) -> bool {
    let files = std::fs::read_dir(house.home.data()).unwrap();
    files.flatten().any(|file| {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

/// Says something and reads why there is no answer.
async fn refused(turn: Turn, line: &str) {
    let (house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(turn);
    chat.say("hello").await;
    chat.told(line).await;
    // What was said before is there when the person writes again.
    model.will(Turn::say("Here I am."));
    chat.say("are you there?").await;
    chat.told("Here I am.").await;
    let again = model.asked().pop().unwrap().body.to_string();
    assert!(
        again.contains("hello") && again.contains("are you there?"),
        "{again}"
    );
    assert!(!stands_anywhere(&house, &chat, KEY).await);
    all_taken(&model);
}

fn refusal(status: u16, why: &str) -> Turn {
    Turn::Refuse(status, why.to_owned(), None)
}

#[tokio::test]
async fn a_key_that_is_refused_is_said_and_never_shown() {
    let model = Fake::start().await;
    let mut house = House::build().await;
    let wrong = "sk-wrong-0123456789abcdef";
    house.home.write_key(wrong);
    house
        .home
        .add_settings(&settings(&house, &model, Form::OpenAi, ""));
    house.start().await;
    let chat = house.enter(Door::Web, OWNER, &house.code()).await;
    chat.say("hello").await;
    chat.told("No answer: fake-large refuses the key; the owner has to put a valid one where [model] points to, and restart Postern.").await;
    assert_eq!(model.asked().len(), 1);
    assert!(!stands_anywhere(&house, &chat, wrong).await);
    assert!(!stands_anywhere(&house, &chat, KEY).await);
}

#[tokio::test]
async fn a_key_that_the_model_says_is_cut() {
    let (house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(Turn::say(&format!("The key is {KEY} and that is it.")));
    chat.say("what is the key?").await;
    chat.told("The key is <redacted> and that is it.").await;
    assert!(!stands_anywhere(&house, &chat, KEY).await);
}

#[tokio::test]
async fn a_model_that_nobody_knows_is_said() {
    refused(
        refusal(404, "The model `x` does not exist"),
        "No answer: the provider does not know the model fake-large; the owner has to correct name in [model], and restart Postern.",
    )
    .await;
}

#[tokio::test]
async fn no_credit_is_said() {
    refused(
        refusal(429, "insufficient_quota: You exceeded your current quota"),
        "No answer: the account with the provider of fake-large has no credit left; the owner has to add some, or choose another model in [model].",
    )
    .await;
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_said() {
    refused(
        refusal(400, "This model's maximum context length is 8192 tokens"),
        "No answer: this conversation is longer than fake-large can read; begin anew with /new, or let the owner lower context_tokens in [model].",
    )
    .await;
}

#[tokio::test]
async fn a_refused_content_is_said() {
    refused(
        refusal(400, "content_policy_violation: flagged by content_policy"),
        "No answer: fake-large refuses to answer this by its provider's rules; put it otherwise, or begin anew with /new.",
    )
    .await;
}

#[tokio::test]
async fn any_other_refusal_is_said_without_addresses_and_without_the_key() {
    refused(
        refusal(
            400,
            &format!("temperature is wrong, see https://evil.example/{KEY} {KEY}"),
        ),
        "No answer: fake-large refuses the question: temperature is wrong, see (key).",
    )
    .await;
}

#[tokio::test]
async fn a_long_wish_to_wait_is_told_and_not_waited_for() {
    refused(
        Turn::Refuse(429, "slow down".to_owned(), Some(3600)),
        "No answer: fake-large asks us to slow down; nothing is lost, write again in 60 minutes.",
    )
    .await;
}

#[tokio::test]
async fn a_short_wish_to_wait_is_waited_for_and_nobody_notices() {
    let (_house, chat, model) = with_model(Door::Web, Form::Anthropic, "").await;
    model.will(Turn::Refuse(429, "slow down".to_owned(), Some(2)));
    model.will(Turn::say("Hello."));
    chat.say("hello").await;
    chat.told("Hello.").await;
    let asked = model.asked();
    let [first, second]: &[Asked; 2] = asked.as_slice().try_into().unwrap();
    assert!(second.at - first.at >= std::time::Duration::from_secs(2));
    assert_eq!(chat.times("No answer").await, 0);
}

#[tokio::test]
async fn trouble_of_the_service_that_passes_is_not_noticed_and_trouble_that_stays_is_said() {
    let (_house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(refusal(500, "oops"));
    model.will(Turn::say("Hello."));
    chat.say("hello").await;
    chat.told("Hello.").await;
    for _ in 0..3 {
        model.will(refusal(503, "oops"));
    }
    chat.say("hello again").await;
    chat.told(&format!(
        "No answer: the connection to fake-large broke before its answer was whole; {TRY_AGAIN}."
    ))
    .await;
    assert_eq!(model.asked().len(), 5);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_never_half_kept() {
    for (form, turn) in [
        (Form::OpenAi, Turn::Break("The half of".to_owned())),
        (Form::Anthropic, Turn::Break("The half of".to_owned())),
        (Form::Gemini, Turn::Break("The half of".to_owned())),
        (Form::Ollama, Turn::Break("The half of".to_owned())),
        (Form::OpenAi, Turn::Trouble("The half of".to_owned())),
        (Form::Anthropic, Turn::Trouble("The half of".to_owned())),
    ] {
        let (_house, chat, model) = with_model(Door::Web, form, "").await;
        model.will(turn);
        chat.say("hello").await;
        chat.told(&format!(
            "No answer: the connection to fake-large broke before its answer was whole; {TRY_AGAIN}."
        ))
        .await;
        assert_eq!(
            (model.asked().len(), chat.times("The half of").await),
            (1, 0),
            "{form:?}"
        );
        model.will(Turn::say("The whole of it."));
        chat.say("again").await;
        chat.told("The whole of it.").await;
        all_taken(&model);
    }
}

#[tokio::test]
async fn calls_of_an_answer_that_breaks_off_are_not_made() {
    let (house, chat, model) = with_model(Door::Web, Form::Anthropic, "").await;
    model.will(Turn::Break(
        "I will remember it. <tool_call name=\"memory__save\" args='{\"text\":\"x\"}' />"
            .to_owned(),
    ));
    chat.say("hello").await;
    chat.told("No answer: ").await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
}

#[tokio::test]
async fn an_answer_without_end_is_stopped() {
    let (_house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(Turn::Endless("endless ".repeat(500)));
    chat.say("hello").await;
    chat.told("No answer: the answer of fake-large had no end, so I stopped reading; write again to try again.")
        .await;
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test]
async fn silence_is_given_up_in_time() {
    let (_house, chat, model) =
        with_model(Door::Web, Form::OpenAi, "timeouts = { first = 1 }").await;
    for _ in 0..3 {
        model.will(Turn::Hang);
    }
    chat.say("hello").await;
    chat.told(&format!(
        "No answer: fake-large did not answer in time; {TRY_AGAIN}."
    ))
    .await;
    assert_eq!(model.asked().len(), 3);
}

#[tokio::test]
async fn silence_within_an_answer_is_given_up_in_time_and_not_asked_again() {
    let (_house, chat, model) =
        with_model(Door::Web, Form::Anthropic, "timeouts = { between = 1 }").await;
    model.will(Turn::Held("The half".to_owned(), "and more".to_owned()));
    chat.say("hello").await;
    chat.told(&format!(
        "No answer: fake-large did not answer in time; {TRY_AGAIN}."
    ))
    .await;
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_without_words_is_said_to_be_one() {
    let (_house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(Turn::Empty);
    chat.say("hello").await;
    chat.told("(the model said nothing)").await;
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_said() {
    let mut house = House::build().await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = nobody.local_addr().unwrap();
    drop(nobody);
    house.home.add_settings(&format!(
        "[model]\nprovider = \"ollama\"\nname = \"fake-large\"\nendpoint = \"http://{at}\"\n"
    ));
    house.start().await;
    let chat = house.enter(Door::Web, OWNER, &house.code()).await;
    chat.say("hello").await;
    chat.told("No answer: fake-large cannot be reached; nothing is lost, write again later, and if it stays so the owner has to check endpoint in [model].").await;
}

#[tokio::test]
async fn the_next_model_answers_where_the_first_does_not() {
    let second = Fake::start().await;
    let (house, chat, first) = with_model(
        Door::Telegram,
        Form::OpenAi,
        &format!(
            "[[model.fallbacks]]\nprovider = \"ollama\"\nname = \"fake-small\"\nendpoint = \"{}\"",
            second.endpoint(Form::Ollama)
        ),
    )
    .await;
    first.will(refusal(401, "no"));
    second.will(Turn::call(
        "files__write",
        json!({"file": "a.txt", "content": "x"}),
    ));
    second.will(Turn::say("The second speaks."));
    chat.say("hello").await;
    let card = chat.card().await;
    first.will(refusal(401, "no"));
    chat.press(&card, "Allow once").await;
    chat.told("The second speaks.").await;
    assert_eq!(chat.times("No answer").await, 0);
    assert_eq!(house.file("a.txt").as_deref(), Some("x"));
    all_taken(&second);
    // Whoever asks hears which one answers, and why not the other.
    let says = "fake-small answered at ";
    let why = "because: fake-large refuses the key; the owner has to put a valid one where [model] points to, and restart Postern";
    for command in ["status", "doctor"] {
        let told = house.cli(&[command]).await;
        assert!(
            told.out.contains(says) && told.out.contains(why),
            "{told:?}"
        );
    }
    chat.say("/status").await;
    chat.told(says).await;
    // What was shown of an answer is not followed by another model's.
    first.will(Turn::Break("The half of".to_owned()));
    chat.say("once more").await;
    chat.told("No answer: the connection to fake-large broke")
        .await;
    assert_eq!(second.asked().len(), 2);
    let status = house.cli(&["status"]).await;
    let says = "the model gave no answer at ";
    assert!(
        status.out.contains(says) && !status.out.contains(why),
        "{status:?}"
    );
    first.will(Turn::say("The first speaks."));
    chat.say("and now?").await;
    chat.told("The first speaks.").await;
    let status = house.cli(&["status"]).await;
    let quiet = !status.out.contains("answered at") && !status.out.contains(says);
    assert!(quiet, "{status:?}");
}

#[tokio::test]
async fn f36_a_restart_in_the_middle_of_an_answer_asks_again_and_answers_once() {
    let (mut house, chat, model) = with_model(Door::Telegram, Form::OpenAi, "").await;
    model.will(Turn::Held("The answer is ".to_owned(), "42.".to_owned()));
    chat.say("what is the answer?").await;
    model.wait_for(1).await;
    model.will(Turn::say("The answer is 42."));
    house.kill_and_start().await;
    chat.told("The answer is 42.").await;
    house.all_sent().await;
    assert_eq!(
        (model.asked().len(), chat.times("The answer is").await),
        (2, 1)
    );
}

#[tokio::test]
async fn stop_ends_an_answer_at_once() {
    let (_house, chat, model) = with_model(Door::Web, Form::OpenAi, "").await;
    model.will(Turn::Held(
        "A long story".to_owned(),
        "and its end".to_owned(),
    ));
    chat.say("tell me a story").await;
    model.wait_for(1).await;
    chat.say("/stop").await;
    model.will(Turn::say("Another thing."));
    chat.say("something else").await;
    chat.told("Another thing.").await;
    assert_eq!(chat.times("A long story").await, 0);
}
