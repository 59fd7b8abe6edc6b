//! Slash commands on Discord: registered, offered where they mean something, answered at once, and
//! carried out like what is typed.

use fakes::discord::{Channel, User, WAIT};
use fakes::model::{Fake as Model, Form};
use serde_json::json;

use super::coding::{Repository, open};
use super::discord::{ANNA, Den, MALLORY};
use super::mind::settings;
use super::tmux::Tmux;

/// How the first answer to a command says that it was heard.
const HEARD: &str = "Heard. An answer, if there is one, comes as a message in this chat.";

impl Den {
    /// Chooses a command; what is said next in the channel. It was answered in time, privately.
    async fn answer(&self, who: User, channel: Channel, name: &str, text: &str) -> String {
        let before = self.fake.messages(channel).len();
        let id = self.fake.command(who, channel, name, text);
        self.heard_at_once(id).await;
        let said = self.fake.wait_until(WAIT, || {
            let all = self.fake.messages(channel);
            all.get(before).map(|shown| shown.text.clone())
        });
        said.await
            .unwrap_or_else(|| panic!("/{name} {text} is not answered"))
    }

    async fn heard_at_once(&self, interaction: u64) {
        let first = self.fake.wait_until(WAIT, || {
            let answers = self.fake.answers().into_iter();
            answers
                .filter(|answer| answer.interaction == interaction)
                .find(|answer| answer.kind.is_some())
        });
        let first = first.await.expect("a first answer");
        assert_eq!(
            (first.kind, first.private, first.text.as_deref()),
            (Some(4), true, Some(HEARD))
        );
    }
}

#[tokio::test]
async fn f63_f78_the_owner_chooses_each_command_and_each_is_answered() {
    let den = Den::open("").await;
    for (name, text, says) in [
        ("help", "", "/incognito  keep nothing of what follows"),
        ("policy", "", "Policy: interactive."),
        ("policy", "auto", "Policy: auto."),
        ("policy", "", "Policy: auto."),
        ("policy", "interactive", "Policy: interactive."),
        ("rules", "", "Rules that come with Postern:"),
        ("status", "", "open cards: 0"),
        ("stop", "", "Nothing is running."),
        ("why", "", ""),
        ("link", "", "No Code conversation is open."),
        ("link", "22222222", "I do not know that code."),
        ("unlink", "", "Nothing is linked here."),
        ("incognito", "on", "Incognito: no files, no memory."),
        ("incognito", "off", "Incognito is off"),
        ("new", "", "A fresh conversation"),
        ("unpair", "", "Unpaired."),
    ] {
        let said = den.answer(ANNA, den.direct, name, text).await;
        assert!(said.contains(says), "/{name} {text}: {said}");
    }
    // Nobody's any more: what is typed and what is chosen are the same.
    let code = den.house.new_code(None).await;
    let said = den.answer(ANNA, den.direct, "pair", &code).await;
    assert!(said.contains("You are paired as the owner"), "{said}");
}

#[tokio::test]
async fn a_guest_comes_in_by_a_slash_command_and_has_what_guests_have() {
    let den = Den::open("").await;
    let bob = den.fake.person(7002, "Bob");
    let chat = den.fake.direct(bob);
    let wrong = den.fake.command(bob, chat, "pair", "AAAA-AAAA");
    den.heard_at_once(wrong).await;
    let code = den.house.new_code(Some("Bob")).await;
    den.fake.command(bob, chat, "pair", &code);
    den.told(chat, "You are paired").await;
    // One menu for all: what is the owner's is refused, also when it was chosen.
    for name in ["policy", "rules", "status", "link", "incognito"] {
        let said = den.answer(bob, chat, name, "").await;
        let refused = format!("/{name} is not something I do here. /help shows what is.");
        assert_eq!(said, refused);
    }
    let said = den.answer(bob, chat, "help", "").await;
    assert!(
        !said.contains("/policy") && said.contains("/unpair"),
        "{said}"
    );
}

#[tokio::test]
async fn in_a_server_the_owners_commands_are_not_offered_and_a_forged_one_does_nothing() {
    let den = Den::with_room().await;
    let offered = |context: u64| -> Vec<String> {
        let known = den.fake.commands();
        let all = known.as_array().unwrap().iter();
        all.filter(|one| {
            one["contexts"]
                .as_array()
                .unwrap()
                .contains(&json!(context))
        })
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
    };
    assert_eq!(offered(0), ["new", "stop", "why", "help", "unpair", "pair"]);
    assert_eq!(offered(1).len(), 12);
    for (name, says) in [
        ("new", "A fresh"),
        ("stop", "Nothing is"),
        ("help", "/unpair"),
    ] {
        let said = den.answer(ANNA, den.room, name, "").await;
        assert!(said.contains(says), "/{name}: {said}");
    }
    let before = den.fake.messages(den.room).len();
    // A bystander is heard, and nothing comes of it.
    for name in ["new", "stop", "why", "unpair"] {
        let id = den.fake.command(MALLORY, den.room, name, "");
        den.heard_at_once(id).await;
    }
    let policy = json!({"id": "9", "name": "policy", "type": 1,
        "options": [{"name": "choice", "type": 3, "value": "auto"}]});
    den.fake.forged_command(MALLORY, den.room, policy.clone());
    den.fake.forged_command(ANNA, den.room, policy);
    den.told(den.room, "/policy is not something I do here.")
        .await;
    den.house.all_sent().await;
    assert_eq!(den.fake.messages(den.room).len(), before + 1);
    let auto = "SELECT count(*) FROM conversation WHERE mode LIKE '%Auto%'";
    assert_eq!(den.house.count(auto), 0);
    let said = den.answer(ANNA, den.room, "unpair", "").await;
    assert!(said.contains("Unpaired."), "{said}");
}

#[tokio::test]
async fn a_code_conversation_is_linked_by_a_slash_command() {
    let model = Model::start().await;
    let den = Den::built("").await;
    den.house.home.write_key(fakes::model::KEY);
    let settings = settings(&den.house, &model, Form::OpenAi, "");
    den.house.home.add_settings(&settings);
    let den = den.opened().await;
    let (work, terminal) = (Repository::new(), Tmux::open());
    let code = open(&terminal, &den.house, &work.0).await;
    let said = den.answer(ANNA, den.direct, "link", &code).await;
    assert!(
        said.contains("Linked: what you write here goes to"),
        "{said}"
    );
    den.fake.say(ANNA, den.direct, "from the phone");
    terminal.sees("from the phone").await;
    den.told(den.direct, "I have nothing more to say.").await;
    let said = den.answer(ANNA, den.direct, "unlink", "").await;
    assert!(said.contains("Unlinked"), "{said}");
    let said = den.answer(ANNA, den.direct, "link", "").await;
    assert!(
        said.contains("Which Code conversation shall go on here?"),
        "{said}"
    );
}
