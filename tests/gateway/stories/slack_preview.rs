//! On Slack an answer grows in a message of its own, or in a stream beside the work, and the whole
//! answer takes its place: of that message, and of no other.

use std::time::Duration;

use fakes::model::{Fake as Model, Form, KEY, Turn};
use fakes::slack::{Chat, Fault, Shown};

use super::house::soon;
use super::mind::settings;
use super::slack::{Office, Way};

async fn writing() -> (Office, Model) {
    let model = Model::start().await;
    let office = Office::built(Way::Socket).await;
    office.house.home.write_key(KEY);
    let settings = settings(&office.house, &model, Form::OpenAi, "");
    office.house.home.add_settings(&settings);
    (office.opened(Way::Socket).await, model)
}

fn held(first: &str, rest: &str) -> Turn {
    Turn::Held(first.to_owned(), rest.to_owned())
}

impl Office {
    /// A direct chat, and a thread of it beside the work.
    fn both(&self) -> [Chat; 2] {
        let direct = self.anna.direct();
        let root = self.fake.messages(&direct).remove(0).ts;
        [direct.clone(), direct.thread(&root)]
    }

    /// The one message that holds a text.
    fn only(&self, chat: &Chat, text: &str) -> Shown {
        let all = self.fake.messages(chat).into_iter();
        let mut all: Vec<Shown> = all.filter(|shown| shown.text.contains(text)).collect();
        assert_eq!(all.len(), 1, "{text:?}: {all:#?}");
        all.remove(0)
    }

    fn previews(&self) -> i64 {
        self.house
            .count("SELECT count(*) FROM outbox WHERE kind = 'preview'")
    }
}

#[tokio::test]
async fn f35_words_grow_in_one_message_or_stream_and_the_answer_takes_its_place() {
    let (office, model) = writing().await;
    for (n, chat) in office.both().into_iter().enumerate() {
        model.will(held(&format!("Answer {n} begins. "), "That is **all**."));
        office.fake.say(&office.anna, &chat, "hello");
        let begun = office.told(&chat, &format!("Answer {n} begins.")).await;
        assert_eq!(begun.streaming, chat.thread.is_some());
        model.go_on();
        let whole = office.told(&chat, "That is all.").await;
        assert_eq!((whole.ts, whole.streaming), (begun.ts, false));
        office.house.all_sent().await;
        office.only(&chat, "That is all.");
        assert_eq!(office.previews(), 0);
    }
}

#[tokio::test]
async fn f35_after_a_crash_an_answer_takes_the_place_of_its_own_beginning_and_of_nothing_else() {
    let (mut office, model) = writing().await;
    for (n, chat) in office.both().into_iter().enumerate() {
        model.will(Turn::say(&format!("The first answer {n} is whole.")));
        office.fake.say(&office.anna, &chat, "one");
        let first = office.told(&chat, &format!("The first answer {n}")).await;
        model.will(held("Half of ", "never"));
        office.fake.say(&office.anna, &chat, "two");
        let begun = office.told(&chat, "Half of").await;
        office.house.kill();
        model.will(Turn::say(&format!("All of the second answer {n}.")));
        office.house.start().await;
        let second = format!("All of the second answer {n}.");
        assert_eq!(office.told(&chat, &second).await.ts, begun.ts);
        office.house.all_sent().await;
        // Whatever ends after that, what became an answer stays one.
        office.house.kill_and_start().await;
        model.will(Turn::say(&format!("The third answer {n}.")));
        office.fake.say(&office.anna, &chat, "three");
        office.told(&chat, &format!("The third answer {n}.")).await;
        assert_eq!(office.only(&chat, "The first answer").ts, first.ts);
        assert_eq!(office.only(&chat, "second answer").ts, begun.ts);
    }
}

#[tokio::test]
async fn f36_f40_an_answer_that_a_crash_met_while_it_took_its_place_is_kept_and_stands_once() {
    let (mut office, model) = writing().await;
    let direct = office.anna.direct();
    for (n, fault) in [Fault::Drop, Fault::Delay(super::wrong::NEVER)]
        .into_iter()
        .enumerate()
    {
        model.will(held(&format!("Answer {n} begins "), "and ends."));
        office.fake.say(&office.anna, &direct, "well?");
        let begun = office.told(&direct, &format!("Answer {n} begins")).await;
        office.fake.inject("chat.update", fault);
        model.go_on();
        let begins = soon(|| (office.fake.to_go_wrong("chat.update") == 0).then_some(()));
        assert!(begins.await.is_some(), "{}", office.house.errors());
        office.house.kill_and_start().await;
        let whole = format!("Answer {n} begins and ends.");
        assert_eq!(office.told(&direct, &whole).await.ts, begun.ts);
        office.house.all_sent().await;
        model.will(Turn::say(&format!("Answer {n} is followed by this.")));
        office.fake.say(&office.anna, &direct, "and then?");
        office
            .told(&direct, &format!("Answer {n} is followed"))
            .await;
        office.only(&direct, &whole);
    }
    assert_eq!(office.previews(), 0);
}

#[tokio::test]
async fn f36_an_answer_is_posted_anew_where_a_change_of_what_stands_there_may_still_come() {
    let (office, model) = writing().await;
    for chat in office.both() {
        let steps = [
            "It begins, ",
            "goes on, and ",
            "goes on again, and ",
            "ends.",
        ];
        model.will(Turn::Steps(steps.map(str::to_owned).to_vec()));
        office.fake.say(&office.anna, &chat, "well?");
        let begun = office.told(&chat, "It begins,").await;
        let method = match chat.thread {
            None => "chat.update",
            Some(_) => "chat.appendStream",
        };
        office.fake.inject(method, Fault::Drop);
        model.go_on();
        office.told(&chat, "goes on, and").await;
        model.go_on();
        office.told(&chat, "goes on again,").await;
        model.go_on();
        let whole = office.told(&chat, "and ends.").await;
        // What is added to a stream is added before it ends.
        assert_eq!(whole.ts == begun.ts, chat.thread.is_some());
        assert!(!whole.streaming);
        office.house.all_sent().await;
        office.only(&chat, "and ends.");
        assert_eq!(office.previews(), 0);
    }
}

#[tokio::test]
async fn f35_f36_killed_while_answers_grow_each_stands_there_once() {
    let (mut office, model) = writing().await;
    let both = office.both();
    let mut dice: u64 = 0x9E37_79B9_7F4A_7C15;
    for n in 0..6 {
        let chat = &both[n % 2];
        let whole = format!("Answer {n} grows and is whole.");
        model.will(held(&format!("Answer {n} grows "), "and is whole."));
        office
            .fake
            .say(&office.anna, chat, &format!("question {n}"));
        office.told(chat, &format!("Answer {n} grows")).await;
        if n % 3 > 0 {
            model.go_on();
        }
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        tokio::time::sleep(Duration::from_micros(dice % 20_000)).await;
        office.house.kill();
        model.will(Turn::say(&whole));
        office.house.start().await;
        office.told(chat, &whole).await;
        office.house.all_sent().await;
        model.forget();
    }
    for n in 0..6 {
        let whole = office.only(&both[n % 2], &format!("Answer {n} grows and is whole."));
        assert!(!whole.streaming);
    }
}
