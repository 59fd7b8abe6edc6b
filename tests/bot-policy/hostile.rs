//! Hostile input on a small stack: every function answers, in steps that grow with the length.

use std::collections::BTreeSet;

use bot_policy::approval::Question;
use bot_policy::call::{ARGUMENT_BYTES, ARGUMENT_DEPTH, Arguments, Call};
use bot_policy::card::card;
use bot_policy::decide::{Says, decide};
use bot_policy::event::ChatKind;
use bot_policy::grants::Grants;
use bot_policy::id::{CallId, Timestamp, ToolName};
use bot_policy::message::Choices;
use bot_policy::pairing::{Code, Tries, redeem, shown_in};
use bot_policy::rules::{Action, Rule, Rules};
use bot_policy::secret::{Redactor, Secret};
use bot_policy::tool::Permission;
use bot_policy::visible::{foreign, line, show, steps};
use bot_policy::{mail, site};
use serde_json::json;

use crate::world::{call, standing, tools, with_rules};

#[test]
fn nothing_panics_or_overflows_a_small_stack() {
    let judged = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(|| {
            hostile_texts()
                .iter()
                .map(|text| all_of_it(text))
                .sum::<usize>()
        })
        .unwrap()
        .join();
    assert!(judged.unwrap() > 0);
}

#[test]
fn showing_is_linear() {
    for unit in [
        "a",
        " ",
        "\n",
        " \n",
        "\u{202e}",
        "\u{301}",
        "\t",
        "e\u{301}",
        "\u{1f6aa}",
    ] {
        for count in [1_000, 100_000] {
            let text = unit.repeat(count);
            assert!(steps(&text) <= 2 * text.chars().count() + 1, "{unit:?}");
        }
    }
}

#[test]
fn matching_what_is_granted_is_linear_in_what_is_wanted() {
    for pattern in [
        "**/a/**/b",
        "*a*b*c",
        "?*?*?*",
        "[!a-z]*[!a-z]*",
        "**/**/**/*x",
    ] {
        let grants = Grants {
            grants: vec![format!("files.read:{pattern}").parse().unwrap()],
            approval_required: Vec::new(),
        };
        for unit in ["a", "a/", "ab", "/b/a", "x/.."] {
            let wanted = Permission {
                name: "files.read".into(),
                resource: Some(unit.repeat(20_000)),
            };
            let bytes = wanted.resource.as_ref().unwrap().len();
            let most = pattern.len() * (bytes + 1);
            assert!(grants.steps(&wanted) <= most, "{pattern} {unit}");
        }
    }
}

#[test]
fn of_many_rules_only_those_that_name_the_call_are_compared() {
    let many = (0..10_000).map(|n| bot_policy::rules::Rule {
        pattern: format!("@tool{} command{n} --key value", n % 97),
        action: Action::Deny,
    });
    let rules = Rules::in_force(many.collect());
    assert_eq!(rules.steps(&crate::world::read_notes()), 1);
    assert_eq!(rules.steps(&crate::world::write_notes()), 0);
}

#[test]
fn a_secret_of_one_repeated_letter_is_looked_for_in_linear_steps() {
    let secrets = [8, 9, 12, 16].map(|length| Secret::new("a".repeat(length)));
    let redactor = Redactor::new(&secrets).unwrap();
    for text in [
        "a".repeat(100_000),
        "a\n".repeat(50_000),
        "YWFh".repeat(25_000),
    ] {
        // Every secret ends at every letter, in each of its forms.
        assert!(redactor.steps(&text) <= 40 * text.len());
        assert!(redactor.cut(&text).len() <= text.len());
    }
}

#[test]
fn arguments_are_looked_at_once_and_only_as_long_and_deep_as_they_may_be() {
    for text in hostile_texts() {
        assert!(Arguments::steps(&text) <= text.len(), "{text:.20}");
    }
    assert_eq!(Arguments::steps(&"a".repeat(ARGUMENT_BYTES + 1)), 0);
    let deep = "[".repeat(ARGUMENT_BYTES);
    assert_eq!(Arguments::steps(&deep), ARGUMENT_DEPTH + 1);
}

#[test]
fn looking_for_what_a_host_resembles_is_linear() {
    let known = [
        "paypal.com",
        "example.co.uk",
        "github.com",
        "xn--mnchen-3ya.de",
    ];
    let known = BTreeSet::from(known.map(String::from));
    for unit in [
        "a",
        ".",
        "-",
        "a.",
        "a-",
        "1",
        "rn",
        "paypal-",
        "xn--a.",
        "xn--zzzzzzzz",
        "\u{fc}",
        "\u{fc}.",
        "\u{4f8b}a",
        "\u{fdfa}",
        "a\u{301}",
        "[",
        "@",
    ] {
        for bytes in [8, 32, 63, 128, site::HOST_BYTES] {
            let host = unit.repeat(bytes / unit.len());
            let steps = site::steps(&host, &known);
            assert!(steps <= 100 * (host.len() + 32), "{unit} {bytes}: {steps}");
        }
        assert_eq!(site::steps(&unit.repeat(100_000), &known), 0, "{unit}");
    }
}

#[test]
fn reading_a_mail_is_linear_and_what_is_too_long_is_not_read() {
    for unit in ["a", ",", " ", "a@b.co,", "a@", "@b.", "\u{202e}", "a\n"] {
        for count in [1, 10, 1_000, 100_000] {
            let long = unit.repeat(count);
            for (to, subject, body) in [
                (long.as_str(), "", ""),
                ("a@b.co", long.as_str(), ""),
                ("a@b.co", "", long.as_str()),
                (long.as_str(), long.as_str(), long.as_str()),
            ] {
                let bytes = to.len() + subject.len() + body.len();
                let mail = json!({"to": to, "subject": subject, "body": body});
                let steps = mail::steps(&call("email", "send", mail));
                assert!(steps <= 2 * bytes + 32, "{unit:?} {count}: {steps}");
            }
            let body = json!({"to": "a@b.co", "body": "a".repeat(4 * mail::CHARACTERS + count)});
            assert!(mail::steps(&call("email", "send", body)) <= 32);
        }
    }
}

fn all_of_it(text: &str) -> usize {
    let call = Call {
        id: CallId::new("1"),
        tool: ToolName::new("files"),
        command: "write".into(),
        arguments: Arguments::parse(text),
    };
    let mut named = call.clone();
    if let Arguments::Readable(map) = &mut named.arguments {
        map.insert("file".into(), text.into());
    }
    let rules = with_rules(vec![rule(text), rule("@files write --file a/b")]);
    let decided = decide(call.clone(), &rules).trace.len() + decide(named, &rules).trace.len();
    let question = Question {
        says: Says::Ask,
        reasons: Vec::new(),
        always: None,
        alike: None,
        block: None,
        ground: standing().ground,
        call,
    };
    let card = card(&question, tools().get(2), Choices::default(), 500);
    let permission = text.parse::<Permission>().is_ok();
    let grants = Grants {
        grants: vec![Permission {
            name: "files.read".into(),
            resource: Some(text.into()),
        }],
        approval_required: Vec::new(),
    };
    let covered = grants.cover(&grants.grants[0].clone());
    let redacted = Redactor::new([&Secret::new("12345678".to_owned())])
        .unwrap()
        .cut(text);
    let tried = redeem(text, &[], Tries::default(), ChatKind::Direct, Timestamp(0));
    drop((
        permission,
        covered,
        tried,
        Rules::parse(text),
        Code::parse(text),
    ));
    let shown =
        show(text).as_str().len() + line(text).as_str().len() + foreign(text).as_str().len();
    decided + card.fields.len() + redacted.len() + shown + shown_in(text, &[], Timestamp(0)).len()
}

fn rule(text: &str) -> Rule {
    Rule {
        pattern: format!("@files write --file {text}"),
        action: Action::Ask,
    }
}

fn hostile_texts() -> Vec<String> {
    let deep = 100_000;
    vec![
        String::new(),
        "[".repeat(deep),
        "{\"a\":".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("{{\"file\":\"{}\"}}", "../".repeat(50_000)),
        format!("{{\"file\":{}1{}}}", "[".repeat(31), "]".repeat(31)),
        "\u{202e}\u{2066}\u{e0041}".repeat(20_000),
        " \n".repeat(100_000),
        "\"\\".repeat(100_000),
        "\0\u{7f}\u{fffe}\u{10ffff}".repeat(10_000),
        "a".repeat(1_000_000),
        "12345678".repeat(50_000),
        "**/".repeat(160),
        "e\u{301}\u{301}\u{301}\u{301}\u{301}".repeat(20_000),
    ]
}
