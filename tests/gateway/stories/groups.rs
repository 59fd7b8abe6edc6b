//! A group belongs to the one person who paired it.

use fakes::telegram::{BOT_NAME, Chat as Room, Fault, User, WAIT};
use serde_json::json;

use super::chat::{Chat, Door, Seen};
use super::house::{House, OWNER};

const ANNA: User = User(OWNER);
/// Telegram's stand-in for an anonymous admin.
const ANONYMOUS: i64 = 1_087_968_824;

struct Group {
    house: House,
    owner: Chat,
    room: Room,
    /// The owner's view of the group.
    chat: Chat,
    bystander: User,
}

impl Group {
    async fn unclaimed() -> Self {
        let (house, owner) = House::with_owner(Door::Telegram).await;
        let room = house.fake().group(-1001, "Friends");
        let bystander = house.fake().person(8001, "Mallory");
        let chat = house.chat_of(ANNA, room);
        Self {
            house,
            owner,
            room,
            chat,
            bystander,
        }
    }

    async fn paired() -> Self {
        let group = Self::unclaimed().await;
        let asked = group.claim().await;
        group.owner.press(&asked, "Allow this group").await;
        group.chat.told("This group is paired with owner").await;
        group
    }

    async fn claim(&self) -> Seen {
        self.house.fake().say(ANNA, self.room, "/pair");
        self.chat
            .told("I asked the owner in their direct chat")
            .await;
        self.owner.told("wants to use me in the group").await
    }

    fn says(&self, who: User, text: &str) -> i64 {
        self.house.fake().say(who, self.room, text)
    }

    fn mentions(&self, who: User, text: &str) -> i64 {
        self.says(who, &format!("@{BOT_NAME}\n{text}"))
    }

    /// Waits until all that was said before has been carried out.
    async fn settle(&self) {
        self.house.all_heard().await;
        let before = self.chat.times("nothing was remembered").await;
        self.mentions(ANNA, "recall zebras");
        self.chat
            .told_times("nothing was remembered", before + 1)
            .await;
    }
}

#[tokio::test]
async fn a_group_is_claimed_by_its_owner_and_confirmed_on_a_card_in_their_direct_chat() {
    let group = Group::unclaimed().await;
    let asked = group.claim().await;
    assert_eq!(asked.labels(), ["Allow this group", "Deny"]);
    assert!(
        asked
            .text
            .contains("Everyone in that group will read my replies"),
        "{asked:?}"
    );
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 1);
    group.owner.press(&asked, "Allow this group").await;
    group.chat.told("This group is paired with owner").await;
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 2);
    group.settle().await;
}

#[tokio::test]
async fn a_claim_that_is_denied_leaves_the_group_nobodys() {
    let group = Group::unclaimed().await;
    let asked = group.claim().await;
    group.owner.press(&asked, "Deny").await;
    let told = group.house.fake().wait_until(WAIT, || {
        let answers = group.house.fake().answers();
        answers.into_iter().find(|answer| answer.text.is_some())
    });
    assert_eq!(
        told.await.unwrap().text.unwrap(),
        "The group stays unpaired."
    );
    group
        .owner
        .press_token(&asked, &asked.token("Allow this group"))
        .await;
    group.mentions(ANNA, "remember the gate is green");
    group.house.all_heard().await;
    group.owner.settle().await;
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 1);
    assert_eq!(group.house.count("SELECT count(*) FROM memory"), 0);
}

#[tokio::test]
async fn strangers_and_the_group_itself_claim_nothing() {
    let group = Group::unclaimed().await;
    group.says(group.bystander, "/pair");
    group.mentions(group.bystander, "/pair");
    group.owner.settle().await;
    assert_eq!(group.house.count("SELECT count(*) FROM claim"), 0);
    assert_eq!(group.chat.screen().await, []);
}

#[tokio::test]
async fn in_a_group_only_the_pairer_is_answered_and_only_when_the_bot_is_spoken_to() {
    let group = Group::paired().await;
    let before = group.chat.screen().await.len();
    group.says(group.bystander, "remember the first");
    group.mentions(group.bystander, "remember the second");
    group.says(group.bystander, "/new");
    group.says(group.bystander, "/why");
    group.says(ANNA, "remember the third");
    group.says(ANNA, &format!("remember the fourth of @{BOT_NAME}ish"));
    group.says(ANNA, "/new@another_bot");
    group.settle().await;
    assert_eq!(group.chat.screen().await.len(), before + 1);
    assert_eq!(group.house.count("SELECT count(*) FROM memory"), 0);

    group.mentions(ANNA, "remember the gate is green");
    let kept = group
        .chat
        .sees("answer", |seen| seen.text.starts_with("remembered"))
        .await;
    group
        .house
        .fake()
        .reply(ANNA, group.room, kept.key.parse().unwrap(), "recall gate");
    let recalled = group.chat.told("the gate is green").await;
    group.says(ANNA, "/why");
    group.chat.told("@memory search").await;
    group.says(ANNA, &format!("/new@{BOT_NAME}"));
    group.chat.told("A fresh conversation").await;
    let shown = group
        .house
        .fake()
        .shown(group.room, recalled.key.parse().unwrap());
    assert!(shown.reply_to.is_some(), "{shown:?}");
    let keepers: String = group
        .house
        .database()
        .query_row("SELECT group_concat(keeper) FROM memory", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert!(keepers.starts_with("place "), "{keepers}");
}

#[tokio::test]
async fn f50_a_bystanders_press_does_nothing_and_only_they_are_told() {
    let group = Group::paired().await;
    let poison = group.says(group.bystander, "remember me");
    let answer = format!("@{BOT_NAME}\nwhat is this");
    group.house.fake().reply(ANNA, group.room, poison, &answer);
    let marked = group
        .chat
        .told("This conversation has read outside content")
        .await;
    assert_eq!(marked.labels(), ["Start fresh"]);
    let token = marked.token("Start fresh");
    let on = marked.key.parse().unwrap();
    let query = group
        .house
        .fake()
        .press_token(group.bystander, group.room, on, &token);
    let told = group.house.fake().wait_until(WAIT, || {
        let answers = group.house.fake().answers();
        answers.into_iter().find(|answer| answer.query == query)
    });
    let told = told.await.expect("an answer to the press");
    assert_eq!(
        (told.text.as_deref(), told.alert),
        (
            Some("Only the person who paired this chat can press here."),
            true
        )
    );
    group.says(ANNA, "/why");
    group.chat.told("It has read outside content").await;
    assert_eq!(group.chat.times("A fresh conversation").await, 0);
    group.house.fake().press_token(ANNA, group.room, on, &token);
    group.chat.told("A fresh conversation").await;
}

#[tokio::test]
async fn f51_shared_senders_never_pair_never_speak_and_never_press() {
    let group = Group::paired().await;
    let fake = group.house.fake();
    let admin = fake.person(ANONYMOUS, "Group");
    let room = json!({"id": group.room.0, "type": "supergroup", "title": "Friends"});
    let code = group.house.new_code(None).await;
    let mention = format!("@{BOT_NAME}\nremember the keys");
    for (who, text) in [
        (admin, "/new"),
        (admin, mention.as_str()),
        (ANNA, mention.as_str()),
    ] {
        fake.message(who, group.room, text, json!({ "sender_chat": room }));
    }
    let typed = format!("/pair {code}");
    let bob = fake.person(7003, "Bob");
    let channel = json!({"id": -1009, "type": "channel", "title": "News"});
    fake.message(bob, bob.direct(), &typed, json!({ "sender_chat": channel }));
    fake.message(admin, admin.direct(), &typed, json!({}));
    let other = fake.group(-1002, "Others");
    let there = json!({"id": other.0, "type": "supergroup", "title": "Others"});
    fake.message(admin, other, "/pair", json!({ "sender_chat": there }));
    group.settle().await;
    assert_eq!(group.house.count("SELECT count(*) FROM memory"), 0);
    assert_eq!(group.house.count("SELECT count(*) FROM claim"), 1);
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 2);
    assert_eq!(group.house.chat_of(bob, bob.direct()).screen().await, []);

    group.owner.say("write notes.txt: hello").await;
    let card = group.owner.card().await;
    let on = card.key.parse().unwrap();
    let token = card.token("Allow once");
    fake.press_token(admin, ANNA.direct(), on, &token);
    let message = json!({
        "message_id": on,
        "date": 1_790_000_000,
        "chat": {"id": OWNER, "type": "private"},
    });
    fake.update(
        "callback_query",
        json!({"id": "77", "chat_instance": "1", "data": token, "message": message}),
    );
    group.settle().await;
    assert_eq!(group.owner.open_cards().await, 1);
    assert_eq!(group.house.file("notes.txt"), None);
    // The code was not used up by those who may not use it.
    group.house.enter(Door::Telegram, 7004, &code).await;
}

#[tokio::test]
async fn f17_a_group_that_becomes_another_keeps_pairing_conversation_notes_and_open_cards() {
    let group = Group::paired().await;
    group.mentions(ANNA, "remember the gate is green");
    group.chat.told("remembered").await;
    let poison = group.says(group.bystander, "a letter");
    let answer = format!("@{BOT_NAME}\nforget the gate is green");
    group.house.fake().reply(ANNA, group.room, poison, &answer);
    let before = group.chat.card().await;
    group.house.all_sent().await;

    let moved = group.house.fake().upgrade(ANNA, group.room, -100_999);
    let chat = group.house.chat_of(ANNA, moved);
    let card = chat.card().await;
    assert_eq!(card.labels(), before.labels());
    assert_eq!(card.text, before.text);
    chat.press(&card, "Deny").await;
    chat.closed(&card, "Denied").await;
    group
        .house
        .fake()
        .say(ANNA, moved, &format!("@{BOT_NAME}\nrecall gate"));
    chat.told("the gate is green").await;
    group.house.all_heard().await;
    let told = group
        .house
        .count("SELECT count(*) FROM audit WHERE what LIKE '%\"moved\"%-1001%-100999%'");
    assert_eq!(told, 1);
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 2);
    // A message of the new chat that has the number of one of the old is another message.
    let stale =
        "SELECT count(*) FROM entry WHERE message IS NOT NULL AND body LIKE '%gate is green%'";
    assert_eq!(group.house.count(stale), 0);
}

#[tokio::test]
async fn f17_a_group_whose_move_only_a_send_tells_of_is_followed_and_nothing_is_lost() {
    let group = Group::paired().await;
    group
        .house
        .fake()
        .inject("sendMessage", Fault::TooMany { retry_after: 1 });
    group.mentions(ANNA, "remember the gate is green");
    group.house.all_heard().await;
    let moved = group.house.fake().upgrade_unheard(group.room, -100_998);
    let chat = group.house.chat_of(ANNA, moved);
    chat.told("remembered").await;
    let kept = "SELECT count(*) FROM audit WHERE what LIKE '%\"moved\"%'";
    assert_eq!(group.house.count(kept), 1);
    group
        .house
        .fake()
        .say(ANNA, moved, &format!("@{BOT_NAME}\nrecall gate"));
    chat.told("the gate is green").await;
}

#[tokio::test]
async fn f17_a_group_that_was_never_let_in_stays_out_wherever_it_goes() {
    let group = Group::unclaimed().await;
    let moved = group.house.fake().upgrade(ANNA, group.room, -100_997);
    group
        .house
        .fake()
        .say(ANNA, moved, &format!("@{BOT_NAME}\nremember me"));
    group.house.all_heard().await;
    group.owner.settle().await;
    assert_eq!(group.house.count("SELECT count(*) FROM pairing"), 1);
    assert_eq!(group.house.count("SELECT count(*) FROM memory"), 0);
    let told = "SELECT count(*) FROM audit WHERE what LIKE '%\"moved\"%'";
    assert_eq!(group.house.count(told), 0);
}

#[tokio::test]
async fn each_chat_is_offered_what_its_person_may_type_there() {
    let group = Group::paired().await;
    let fake = group.house.fake();
    let offered = |chat, wanted: &'static str| {
        move || {
            let menu = fake.commands_in(chat)?;
            menu.iter().any(|name| name == wanted).then_some(menu)
        }
    };
    let owners = fake
        .wait_until(WAIT, offered(ANNA.direct(), "status"))
        .await;
    assert!(owners.is_some());
    let in_group = fake.wait_until(WAIT, offered(group.room, "pair")).await;
    assert!(!in_group.unwrap().contains(&"status".to_owned()));
    let code = group.house.new_code(Some("Ben")).await;
    group.house.enter(Door::Telegram, 7002, &code).await;
    let guests = fake
        .wait_until(WAIT, offered(User(7002).direct(), "new"))
        .await;
    assert!(!guests.unwrap().contains(&"rules".to_owned()));
    let strangers: Vec<_> = fake.commands().as_array().unwrap().clone();
    let strangers: Vec<_> = strangers.iter().map(|one| one["command"].clone()).collect();
    assert_eq!(strangers, ["pair", "help"]);
    group.mentions(ANNA, "recall gate");
    group
        .house
        .fake()
        .say(ANNA, group.room, &format!("/unpair@{BOT_NAME}"));
    group.chat.told("Unpaired.").await;
    let gone = fake.wait_until(WAIT, || {
        fake.commands_in(group.room).is_none().then_some(())
    });
    assert!(gone.await.is_some());
}
