//! On Discord an answer grows in a message of its own, and the whole answer takes its place: of that
//! message, and of no other.

use std::time::Duration;

use fakes::discord::{Fault, Shown, WAIT};
use fakes::model::{Fake as Model, Form, KEY, Turn};

use super::discord::{ANNA, Den};
use super::house::soon;
use super::mind::settings;

const EDIT: &str = "PATCH /channels/*/messages/*";

async fn writing() -> (Den, Model) {
    let (den, model) = built().await;
    (den.opened().await, model)
}

async fn built() -> (Den, Model) {
    let model = Model::start().await;
    let den = Den::built("").await;
    den.house.home.write_key(KEY);
    let settings = settings(&den.house, &model, Form::OpenAi, "");
    den.house.home.add_settings(&settings);
    (den, model)
}

fn held(first: &str, rest: &str) -> Turn {
    Turn::Held(first.to_owned(), rest.to_owned())
}

impl Den {
    /// The messages that hold a text, oldest first.
    fn holding(&self, text: &str) -> Vec<Shown> {
        let all = self.fake.messages(self.direct).into_iter();
        all.filter(|shown| shown.text.contains(text)).collect()
    }

    /// The one message that holds a text.
    fn only(&self, text: &str) -> Shown {
        let mut all = self.holding(text);
        assert_eq!(all.len(), 1, "{text:?}: {all:#?}");
        all.remove(0)
    }

    fn previews(&self) -> i64 {
        self.house
            .count("SELECT count(*) FROM outbox WHERE kind = 'preview'")
    }
}

#[tokio::test]
async fn f35_words_grow_in_one_message_and_the_answer_takes_its_place() {
    let (den, model) = writing().await;
    model.will(held("See https://evil.example now. ", "That is **all**."));
    den.fake.say(ANNA, den.direct, "hello");
    let begun = den.told(den.direct, "See https://evil.example now.").await;
    let shown = den.fake.shown(den.direct, begun);
    // No address in it can be pressed, nobody is pinged, nothing is previewed.
    assert_eq!((shown.links(), shown.flags), (Vec::new(), 4));
    assert_eq!(shown.allowed_mentions["parse"], serde_json::json!([]));
    model.go_on();
    assert_eq!(den.told(den.direct, "That is all.").await, begun);
    den.only("See");
    model.will(held("And one ", "more."));
    den.fake.say(ANNA, den.direct, "go on");
    let next = den.told(den.direct, "And one").await;
    assert_ne!(next, begun);
    model.go_on();
    assert_eq!(den.told(den.direct, "And one more.").await, next);
    den.house.all_sent().await;
    den.only("That is all.");
    assert_eq!(den.previews(), 0);
}

#[tokio::test]
async fn f35_after_a_crash_the_answer_takes_the_place_of_its_own_beginning_and_of_nothing_else() {
    let (mut den, model) = writing().await;
    model.will(Turn::say("The first answer is whole."));
    den.fake.say(ANNA, den.direct, "one");
    let first = den.told(den.direct, "The first answer is whole.").await;
    model.will(held("Half of ", "never"));
    den.fake.say(ANNA, den.direct, "two");
    let begun = den.told(den.direct, "Half of").await;
    den.house.kill();
    model.will(Turn::say("All of the second answer."));
    den.house.start().await;
    assert_eq!(
        den.told(den.direct, "All of the second answer.").await,
        begun
    );
    den.house.all_sent().await;
    // Whatever ends after that, what became an answer stays one.
    den.house.kill_and_start().await;
    model.will(Turn::say("The third answer."));
    den.fake.say(ANNA, den.direct, "three");
    den.told(den.direct, "The third answer.").await;
    assert_eq!(den.only("The first answer").id, first);
    assert_eq!(den.only("second answer").id, begun);
    assert!(den.holding("Half").is_empty());
}

#[tokio::test]
async fn f35_f36_an_answer_that_took_its_place_unnoticed_is_neither_doubled_nor_written_over() {
    let (mut den, model) = writing().await;
    // The change is made; its answer is lost, or the program ends before it comes.
    for (n, fault) in [Fault::Drop, Fault::Delay(Duration::from_secs(2))]
        .into_iter()
        .enumerate()
    {
        model.will(held(&format!("Answer {n} begins "), "and ends."));
        den.fake.say(ANNA, den.direct, "well?");
        let begun = den.told(den.direct, &format!("Answer {n} begins")).await;
        let ends = fault != Fault::Drop;
        den.fake.inject(EDIT, fault);
        model.go_on();
        if ends {
            let handed =
                "SELECT count(*) FROM outbox WHERE state = 'sending' AND target IS NOT NULL";
            let handed = soon(|| (den.house.count(handed) == 1).then_some(()));
            assert!(handed.await.is_some());
            den.house.kill_and_start().await;
        }
        let whole = format!("Answer {n} begins and ends.");
        assert_eq!(den.told(den.direct, &whole).await, begun);
        den.house.all_sent().await;
        model.will(Turn::say(&format!("Answer {n} is followed by this.")));
        den.fake.say(ANNA, den.direct, "and then?");
        den.told(den.direct, &format!("Answer {n} is followed"))
            .await;
        den.only(&whole);
    }
    assert!(den.holding("may not have arrived").is_empty());
}

#[tokio::test]
async fn f35_what_somebody_wrote_after_goes_before_what_was_begun() {
    let (mut den, model) = writing().await;
    model.will(held("An answer to the first ", "never"));
    den.fake.say(ANNA, den.direct, "first");
    let begun = den.told(den.direct, "An answer to the first").await;
    den.house.kill();
    den.fake.say(ANNA, den.direct, "second");
    model.will(Turn::say("To the first, and to the second."));
    model.will(Turn::say("To the first, and to the second."));
    den.house.start().await;
    den.told(den.direct, "To the first, and to the second.")
        .await;
    den.house.all_sent().await;
    let shown = den.fake.shown(den.direct, begun);
    // It was taken over before the second was heard, or says that it goes no further.
    assert!(
        shown.text.starts_with("To the first") || shown.text.ends_with("(not finished)"),
        "{shown:?}"
    );
}

#[tokio::test]
async fn what_stop_ends_says_that_it_is_not_finished() {
    let (den, model) = writing().await;
    model.will(held("A long ", "story"));
    den.fake.say(ANNA, den.direct, "tell me");
    let begun = den.told(den.direct, "A long").await;
    den.fake.command(ANNA, den.direct, "stop", "");
    assert_eq!(den.told(den.direct, "(not finished)").await, begun);
    model.will(Turn::say("Something else."));
    den.fake.say(ANNA, den.direct, "and now?");
    assert_ne!(den.told(den.direct, "Something else.").await, begun);
    assert_eq!(
        den.fake.shown(den.direct, begun).text,
        "A long\n\n(not finished)"
    );
    assert_eq!(den.previews(), 0);
}

#[tokio::test]
async fn f33_f34_limits_drop_changes_of_what_is_unfinished_and_never_the_answer() {
    let (den, model) = writing().await;
    den.fake.limit_edits(1, 1.5);
    let words = "word ".repeat(40);
    for n in 0..3 {
        model.will(held(&format!("Begun {n} {words}"), &format!("ended {n}")));
        den.fake.say(ANNA, den.direct, "hello");
        let begun = den.told(den.direct, &format!("Begun {n}")).await;
        model.go_on();
        assert_eq!(den.told(den.direct, &format!("ended {n}")).await, begun);
    }
    den.fake.inject(
        EDIT,
        Fault::TooMany {
            retry_after: 1.0,
            global: false,
        },
    );
    model.will(held("The last ", "is whole."));
    den.fake.say(ANNA, den.direct, "hello");
    let begun = den.told(den.direct, "The last").await;
    model.go_on();
    assert_eq!(den.told(den.direct, "The last is whole.").await, begun);
}

#[tokio::test]
async fn what_can_not_be_changed_any_more_costs_no_answer() {
    let (den, model) = writing().await;
    model.will(held("It begins ", "and ends."));
    den.fake.say(ANNA, den.direct, "hello");
    let begun = den.told(den.direct, "It begins").await;
    den.fake.inject(
        EDIT,
        Fault::Refuse {
            status: 404,
            code: 10008,
            message: "Unknown Message".to_owned(),
        },
    );
    model.go_on();
    assert_ne!(den.told(den.direct, "It begins and ends.").await, begun);
    den.house.all_sent().await;
    assert_eq!((den.previews(), den.holding("and ends").len()), (0, 1));
}

#[tokio::test]
async fn f36_a_beginning_whose_answer_was_lost_is_found_by_its_number() {
    let (den, model) = writing().await;
    for _ in 0..3 {
        den.fake.inject("POST /channels/*/messages", Fault::Drop);
    }
    model.will(held("It begins ", "and ends."));
    den.fake.say(ANNA, den.direct, "hello");
    let begun = den.told(den.direct, "It begins").await;
    model.go_on();
    assert_eq!(den.told(den.direct, "It begins and ends.").await, begun);
    den.only("It begins");
}

#[tokio::test]
async fn in_a_channel_nothing_unfinished_shows_and_typing_is_shown_again_while_it_takes() {
    let (den, model) = writing().await;
    let den = den.and_room().await;
    model.will(held("Words for the channel ", "are whole."));
    den.fake.mention(ANNA, den.room, "hello");
    let typing = || {
        let calls = den.fake.calls_of("POST /channels/*/typing");
        (calls.len() >= 2).then_some(())
    };
    assert!(den.fake.wait_until(WAIT, typing).await.is_some());
    let all = den.fake.messages(den.room);
    assert!(all.iter().all(|shown| !shown.text.contains("Words for")));
    model.go_on();
    let whole = den.told(den.room, "Words for the channel are whole.").await;
    assert_eq!(den.fake.shown(den.room, whole).before, Vec::<String>::new());
}

#[tokio::test]
async fn f35_f36_killed_while_answers_grow_each_stands_there_once() {
    let (mut den, model) = writing().await;
    let mut dice: u64 = 0x9E37_79B9_7F4A_7C15;
    for n in 0..12_u64 {
        let (whole, asked) = (
            format!("Answer {n} grows and is whole."),
            model.asked().len(),
        );
        model.will(held(&format!("Answer {n} grows "), "and is whole."));
        den.fake.say(ANNA, den.direct, &format!("question {n}"));
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        // Before it shows, while it stands there, and while the answer takes its place.
        model.wait_for(asked + 1).await;
        if n % 3 > 0 {
            den.told(den.direct, &format!("Answer {n} grows")).await;
        }
        if n % 3 > 1 {
            model.go_on();
        }
        tokio::time::sleep(Duration::from_micros(dice % 20_000)).await;
        den.house.kill();
        model.will(Turn::say(&whole));
        den.house.start().await;
        den.told(den.direct, &whole).await;
        den.house.all_sent().await;
        model.forget();
    }
    for n in 0..12_u64 {
        let shown = den.only(&format!("Answer {n} grows"));
        assert_eq!(shown.text, format!("Answer {n} grows and is whole."));
    }
    assert!(den.holding("may not have arrived").is_empty());
}
