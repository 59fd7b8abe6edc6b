//! Whose address it is, and whose it only looks like.

use std::collections::BTreeSet;

use bot_policy::card::{FieldKind, card_beside};
use bot_policy::message::Choices;
use bot_policy::site::{ascii, domain, host, warning, warnings, whole};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{asked, call, standing, tools};

fn known() -> BTreeSet<String> {
    ["paypal.com", "example.co.uk", "github.com", "wikipedia.org"]
        .map(String::from)
        .into()
}

#[test]
fn names_of_another_script_are_told() {
    assert_eq!(warning("example.org"), None);
    assert!(warning("xn--e1awd7f.org").is_some());
    assert!(warning("a.XN--e1awd7f.org").is_some());
    assert!(warning("ex\u{430}mple.org").is_some());
}

#[test]
fn a_host_belongs_to_the_name_that_somebody_registered() {
    for (host, registered) in [
        ("a.b.example.co.uk", "example.co.uk"),
        ("Example.ORG.", "example.org"),
        ("me.github.io", "me.github.io"),
        ("x.me.github.io", "me.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("b\u{fc}cher.example.com", "example.com"),
        ("b\u{fc}cher.de", "xn--bcher-kva.de"),
    ] {
        assert_eq!(domain(host).as_deref(), Some(registered), "{host}");
    }
    for host in ["", "a b.org", "a/b.org", "a@b.org"] {
        assert_eq!(domain(host), None, "{host}");
    }
}

#[test]
fn the_host_of_an_address_is_what_a_browser_reaches() {
    for (address, reached) in [
        ("https://a.org/x", Some("a.org")),
        ("https://a.org:8080", Some("a.org")),
        ("https://a.org@b.org/x", Some("b.org")),
        ("https://b.org\\@a.org", Some("b.org")),
        ("http://[::1]:80/", Some("[::1]")),
        ("https://?x", None),
        ("a.org", None),
    ] {
        assert_eq!(host(address), reached, "{address}");
    }
}

#[test]
fn a_look_alike_of_a_known_site_is_told() {
    for host in [
        "paypa1.com",
        "paypal.net",
        "paypall.com",
        "papyal.com",
        "paypal-login.com",
        "secure-paypal.example.org",
        "paypal.com.evil.net",
        "p\u{430}ypal.com",
        "xn--pypal-4ve.com",
        "pay\u{440}al.com",
        "githib.com",
        "g1thub.com",
        "wikiqedia.org",
        "wlkipedia.org",
        "wikipedia.com",
        "vvikipedia.org",
        "example.com",
    ] {
        let told = warnings(host, &known());
        assert!(
            told.iter().any(|line| line.starts_with("this is not ")),
            "{host}: {told:?}"
        );
    }
    for host in [
        "paypal.com",
        "www.paypal.com",
        "x.example.co.uk",
        "rust-lang.org",
        "pay.org",
        "localhost",
        "gitlab.com",
    ] {
        assert_eq!(warnings(host, &known()), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn another_script_is_shown_as_the_net_knows_it() {
    assert_eq!(
        warnings("b\u{fc}cher.de", &known()),
        [
            "this name has letters outside ASCII that may look like others; on the net it is xn--bcher-kva.de"
        ]
    );
    assert_eq!(
        ascii("\u{4f8b}\u{3048}.jp").as_deref(),
        Some("xn--r8jz45g.jp")
    );
    assert_eq!(
        ascii("M\u{fc}nchen.de").as_deref(),
        Some("xn--mnchen-3ya.de")
    );
}

#[test]
fn a_card_with_an_address_tells_whose_it_is() {
    let fetch = call(
        "web",
        "fetch",
        json!({"url": "https://www.paypa1.com/login"}),
    );
    let mut standing = standing();
    standing.threshold = bot_policy::risk::Threshold::Always;
    let question = asked(fetch, &standing);
    let tools = tools();
    let spec = tools.iter().find(|tool| tool.name.as_str() == "web");
    let fields = card_beside(&question, spec, Choices::default(), 100, &known()).fields;
    let shown: Vec<_> = fields
        .iter()
        .map(|field| (field.kind, field.value.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (FieldKind::Destination, "https://www.paypa1.com/login"),
            (
                FieldKind::Destination,
                "paypa1.com; this is not paypal.com: letters in it only look like those of the other"
            ),
        ]
    );
}

proptest! {
    #[test]
    fn any_host_is_judged_without_a_panic(text in any::<String>(), label in "xn--[a-z0-9-]{0,20}") {
        for host_text in [text.clone(), label.clone(), format!("{label}.com"), format!("{text}.org")] {
            let _ = (warnings(&host_text, &known()), domain(&host_text));
        }
        let _ = (host(&text), whole(&format!("https://{text}")));
    }

    #[test]
    fn a_whole_address_stays_as_it_is(path in "[a-z/?=&]{0,20}") {
        let once = whole(&format!("HTTPS://Example.org:443/{path}")).unwrap();
        prop_assert_eq!(whole(&once), Some(once.clone()));
    }
}
