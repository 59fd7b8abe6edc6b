//! Mail that a person can judge, and no other.

use bot_policy::bots::{MadeBy, Maker, NotMade, made};
use bot_policy::card::{FieldKind, card};
use bot_policy::decide::{Mode, Says};
use bot_policy::id::ToolName;
use bot_policy::mail::{CHARACTERS, NotSendable, of, recipients};
use bot_policy::message::Choices;
use bot_policy::rules::Action;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{asked, call, judged, rule, standing, tools, with_rules};

fn send(arguments: Value) -> bot_policy::call::Call {
    call("email", "send", arguments)
}

#[test]
fn a_mail_that_hides_somebody_or_something_is_not_even_asked_about() {
    for arguments in [
        json!({"to": "a@example.org", "bcc": "b@example.org", "body": ""}),
        json!({"to": "a@example.org", "headers": {"Bcc": "b@example.org"}, "body": ""}),
        json!({"to": "a@example.org\r\nBcc: b@example.org", "body": ""}),
        json!({"to": "a@example.org", "subject": "x\nBcc: b@example.org", "body": ""}),
        json!({"to": ["a@example.org"], "body": ""}),
        json!({"to": "", "body": ""}),
        json!({"body": ""}),
        json!({"to": "a@example.org", "body": "x".repeat(CHARACTERS + 1)}),
        json!({"to": "a@example.org", "body": "\u{200b}".repeat(CHARACTERS / 4)}),
        json!({"to": "a@b.co,a@c.co,a@d.co,a@e.co,a@f.co,a@g.co", "body": ""}),
    ] {
        let (says, rows) = judged(send(arguments.clone()), &standing());
        assert_eq!((says, rows.contains(&6)), (Says::Deny, true), "{arguments}");
    }
}

#[test]
fn an_address_is_one_plain_address() {
    for text in [
        "a",
        "@b.co",
        "a@",
        "a@b",
        "a@b@c.co",
        "Ada <a@b.co>",
        "a@b.co;c@d.co",
        "a@b.co c@d.co",
        "\"a b\"@c.co",
        "a(x)@b.co",
        "g:a@b.co;",
        "a@[10.0.0.1]",
        ".a@b.co",
        "a..b@c.co",
        "a@-b.co",
        "a@b..co",
        "\u{430}@b.co",
        "a@ex\u{430}mple.org",
        "a\u{200b}@b.co",
        "a@b.co\t",
    ] {
        assert_eq!(
            recipients(text),
            Err(NotSendable::NotAnAddress(
                bot_policy::visible::line(text).to_string()
            )),
            "{text}"
        );
    }
    assert_eq!(
        recipients("a.b+c@ex-ample.co.uk, A@b.co, a@B.CO"),
        Ok(vec!["a.b+c@ex-ample.co.uk".into(), "A@b.co".into()])
    );
}

#[test]
fn nothing_makes_a_mail_go_without_a_question() {
    let mut standing = with_rules(vec![rule("@email", Action::Allow)]);
    standing.mode = Mode::Auto;
    standing.approvals = vec![rule("@email", Action::Allow)];
    let question = asked(
        send(json!({"to": "a@example.org", "body": "hi"})),
        &standing,
    );
    assert_eq!((question.says, question.always), (Says::AskOnce, None));
    standing.limits.emails_left = 0;
    assert_eq!(
        judged(
            send(json!({"to": "a@example.org", "body": "hi"})),
            &standing
        )
        .0,
        Says::Deny
    );
}

proptest! {
    #[test]
    fn what_is_asked_about_is_shown_whole_recipient_first(
        to in "[a-z]{1,8}@[a-z]{1,8}\\.org(, [a-z]{1,5}@[a-z]{1,5}\\.net){0,3}",
        subject in "\\PC{0,40}",
        body in "(?s).{0,2000}",
    ) {
        let call = send(json!({"to": to, "subject": subject, "body": body}));
        let Ok(mail) = of(&call) else { return Ok(()) };
        prop_assert_eq!(mail.body, body.clone());
        let question = bot_policy::approval::Question {
            says: Says::AskOnce, reasons: Vec::new(), always: None, alike: None, block: None, ground: standing().ground, call,
        };
        let tools = tools();
        let card = card(&question, tools.iter().find(|tool| tool.name.as_str() == "email"), Choices::default(), 10);
        prop_assert_eq!(card.fields[0].kind, FieldKind::Destination);
        prop_assert_eq!(card.fields[0].value.as_str(), to);
        prop_assert!(card.fields.iter().all(|field| field.cut.is_none()));
        let shown = bot_policy::visible::show(&body);
        prop_assert!(card.fields.iter().any(|field| field.value == shown));
    }

    #[test]
    fn a_made_bot_has_at_most_its_makers_tools_and_makes_none(
        tools in names(), wanted in names(), more in names(),
    ) {
        let maker = Maker { tools: tools.clone(), origin: MadeBy::Owner };
        match made(&maker, wanted.clone()) {
            Ok(bot) => {
                prop_assert!(bot.tools.is_subset(&tools));
                prop_assert_eq!(&bot.tools, &wanted);
                prop_assert!(!bot.tools.contains(&ToolName::new("bots")));
                prop_assert_eq!(made(&bot, more), Err(NotMade::Made));
            }
            Err(why) => prop_assert!(matches!(why, NotMade::More(tool) if wanted.contains(&tool))),
        }
    }
}

fn names() -> impl Strategy<Value = std::collections::BTreeSet<ToolName>> {
    let name = proptest::sample::select(vec!["bots", "email", "files", "memory", "web"]);
    proptest::collection::btree_set(name.prop_map(ToolName::new), 0..5)
}
