//! A rule on a web address holds however the address is written.

use bot_policy::decide::{Says, Standing};
use bot_policy::rules::{Action, explain};
use serde_json::json;

use crate::reach::ruled;
use crate::world::{call, judged, rule};

#[test]
fn a_denied_address_is_denied_in_every_spelling() {
    let standing = ruled(&[
        ("@web fetch --url https://evil.example", Action::Deny),
        ("@web fetch --url https://b.example/private", Action::Deny),
        ("@web fetch --url http://127.0.0.1", Action::Deny),
    ]);
    for (url, says) in [
        ("https://evil.example", Says::Deny),
        ("http://evil.example", Says::Deny),
        ("https://www.evil.example/a", Says::Deny),
        ("https://a.evil.example/", Says::Deny),
        ("https://evil.example:8443/a?b#c", Says::Deny),
        ("HTTPS://EVIL.Example/", Says::Deny),
        ("https://evil.example./", Says::Deny),
        ("https://me:pw@evil.example/", Says::Deny),
        ("https://good.example@evil.example/", Says::Deny),
        ("https:evil.example", Says::Deny),
        ("https:///evil.example", Says::Deny),
        ("https:\\\\evil.example\\a", Says::Deny),
        ("https://%65vil.example/", Says::Deny),
        ("https://evil\t.example/", Says::Deny),
        (" https://evil.example", Says::Deny),
        ("//evil.example/a", Says::Deny),
        ("https://evil\u{3002}example/", Says::Deny),
        ("https://\u{ff45}vil.example/", Says::Deny),
        ("https://www.evil.example.:80/", Says::Deny),
        ("https://notevil.example/", Says::Allow),
        ("https://evilexample.org/", Says::Allow),
        ("https://good.example/?to=https://evil.example", Says::Allow),
        ("https://b.example/private", Says::Deny),
        ("http://b.example/private/a", Says::Deny),
        ("https://b.example/x/../private", Says::Deny),
        ("https://b.example//%70rivate?a", Says::Deny),
        ("https://b.example/public", Says::Allow),
        ("http://127.0.0.1/", Says::Deny),
        ("https://127.1/", Says::Deny),
        ("https://0x7f000001/", Says::Deny),
        ("https://2130706433/", Says::Deny),
        ("https://[::ffff:127.0.0.1]/", Says::Deny),
        ("https://[::ffff:7f00:1]/", Says::Deny),
        ("http://127.0.0.2/", Says::Allow),
    ] {
        assert_eq!(fetch(url, &standing), says, "{url}");
    }
}

#[test]
fn an_allowed_address_is_no_other() {
    let standing = ruled(&[
        ("@web", Action::Ask),
        ("@web fetch --url https://good.example/a", Action::Allow),
    ]);
    for (url, says) in [
        ("https://good.example/a", Says::Allow),
        ("http://good.example/a", Says::Ask),
        ("https://www.good.example/a", Says::Ask),
        ("https://good.example:8443/a", Says::Ask),
        ("https://good.example/a/b", Says::Ask),
    ] {
        assert_eq!(fetch(url, &standing), says, "{url}");
    }
}

#[test]
fn an_address_that_nobody_fetches_is_refused_and_explained_so() {
    let standing = ruled(&[]);
    for url in [
        "https:example.org",
        "https://ex%61mple.org/",
        "https://example.org./",
        "https://me@example.org/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://example.org\\a",
        "https://\u{ff45}xample.org/",
        "https://example\u{3002}org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "example.org",
    ] {
        let asked = call("web", "fetch", json!({"url": url}));
        assert_eq!(
            judged(asked.clone(), &standing),
            (Says::Deny, vec![5]),
            "{url}"
        );
        let told = explain(&asked, &standing).join("\n");
        assert!(told.contains("would be refused"), "{told}");
    }
    assert_eq!(fetch("https://example.org/a", &standing), Says::Allow);
    assert_eq!(fetch("https://1.example/", &standing), Says::Allow);
    assert_eq!(fetch("https://8.8.8.8/", &standing), Says::Allow);
    assert_eq!(fetch("https://[2606:4700::1111]/", &standing), Says::Allow);
    assert_eq!(
        fetch("https://b\u{fc}cher.example/", &standing),
        Says::Allow
    );
}

fn fetch(url: &str, standing: &Standing) -> Says {
    judged(call("web", "fetch", json!({"url": url})), standing).0
}

#[test]
fn a_rule_speaks_of_an_address_whatever_the_tool_calls_it() {
    for key in ["address", "href", "link", "uri", "url", "URL"] {
        let denied = rule("@web fetch --url https://evil.example", Action::Deny);
        let asked = call("web", "fetch", json!({key: "http://evil.example/a"}));
        assert!(denied.matches(&asked), "{key}");
    }
    let allowed = rule("@web fetch --url https://good.example", Action::Allow);
    let asked = call("web", "fetch", json!({"address": "https://good.example"}));
    assert!(!allowed.matches(&asked));
}
