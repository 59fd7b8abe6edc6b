//! What may be named after outside and private content.

use std::sync::Arc;

use bot_policy::decide::{Says, Standing};
use bot_policy::egress::{FREE_PER_CONVERSATION, FREE_PER_DOMAIN, Known};
use bot_policy::taint::Taint;
use bot_policy::tool::{Change, Needed, ParameterRole, Reach};
use serde_json::json;

use crate::world::{call, command, judged, standing, taking, tool};

fn knowing(known: &Known, taint: Taint) -> Standing {
    let base = standing();
    let mut tools = base.tools.to_vec();
    let find = command(
        "find",
        "web.fetch",
        Change::Nothing,
        Reach::Net(String::new()),
    );
    let web = tools
        .iter_mut()
        .find(|tool| tool.name.as_str() == "web")
        .unwrap();
    web.commands
        .push(taking(find, &[("query", ParameterRole::Note, Needed::Yes)]));
    let post = command(
        "post",
        "web.fetch",
        Change::Nothing,
        Reach::Net(String::new()),
    );
    let form = [
        ("url", ParameterRole::Destination, Needed::Yes),
        ("data", ParameterRole::Body, Needed::No),
    ];
    web.commands.push(taking(post, &form));
    tools.push(tool("other", vec![]));
    Standing {
        known: Arc::new(known.clone()),
        tools: Arc::new(tools),
        taint,
        ..base
    }
}

fn fetch(known: &Known, taint: Taint, url: &str) -> Says {
    judged(
        call("web", "fetch", json!({ "url": url })),
        &knowing(known, taint),
    )
    .0
}

fn outside() -> Taint {
    Taint::outside("a page")
}

#[test]
fn row_10_an_address_is_free_where_it_stands_whole_in_the_owners_words() {
    let mut known = Known::default();
    known.typed("look at https://Example.org/a?x=1, and (http://b.example:80/).");
    for (url, says) in [
        ("https://example.org/a?x=1", Says::Allow),
        ("https://EXAMPLE.org:443/a?x=1#part", Says::Allow),
        ("http://b.example", Says::Allow),
        ("https://example.org/a?x=12", Says::AskOnce),
        ("https://example.org/a", Says::AskOnce),
        ("http://example.org/a?x=1", Says::AskOnce),
        ("https://u@example.org/a?x=1", Says::Deny),
        ("https://example.org\\@evil.net/a?x=1", Says::Deny),
        ("https://evil.net/https://example.org/a?x=1", Says::AskOnce),
    ] {
        assert_eq!(fetch(&known, outside(), url), says, "{url}");
    }
}

#[test]
fn row_10_after_private_content_no_address_is_free() {
    let mut known = Known::default();
    known.typed("https://example.org/a");
    let taint = Taint::private("email");
    assert_eq!(
        fetch(&known, taint.clone(), "https://example.org/a"),
        Says::AskOnce
    );
    assert_eq!(
        fetch(&known, taint.join(&outside()), "https://example.org/a"),
        Says::AskOnce
    );
    assert_eq!(
        fetch(&known, Taint::default(), "https://example.org/a"),
        Says::Allow
    );
}

#[test]
fn row_10_addresses_of_pages_are_free_while_they_are_few_for_each_domain() {
    let mut known = Known::default();
    let url = |n: u32| format!("https://s{n}.example.co.uk/{n}");
    for n in 0..20 {
        known.read(&format!("<a href=\"{}\">", url(n)));
    }
    let mut free = 0;
    for n in 0..20 {
        if fetch(&known, outside(), &url(n)) == Says::Allow {
            free += 1;
            known.took(&url(n));
        }
    }
    assert_eq!(free, FREE_PER_DOMAIN);
    known.typed(&url(19));
    assert_eq!(fetch(&known, outside(), &url(19)), Says::Allow);
}

#[test]
fn row_10_addresses_of_pages_are_free_while_they_are_few_in_all() {
    let mut known = Known::default();
    let url = |n: u32| format!("https://example{n}.org/");
    for n in 0..40 {
        known.read(&url(n));
    }
    let mut free = 0;
    for n in 0..40 {
        if known.frees(&url(n)) {
            free += 1;
            known.took(&url(n));
        }
    }
    assert_eq!(free, FREE_PER_CONVERSATION);
}

#[test]
fn row_10_a_free_address_frees_nothing_that_is_sent_along() {
    let mut known = Known::default();
    known.typed("https://example.org/a");
    let post = |data| {
        let call = call(
            "web",
            "post",
            json!({"url": "https://example.org/a", "data": data}),
        );
        judged(call, &knowing(&known, outside())).0
    };
    assert_eq!(post(json!("all my notes")), Says::AskOnce);
    assert_eq!(post(json!(null)), Says::Allow);
}

#[test]
fn row_10_a_search_that_holds_a_memory_asks() {
    let mut known = Known::default();
    known.remembers("My sister's birthday is on 3 May");
    known.remembers("tea");
    let search = |query: &str, taint| {
        judged(
            call("web", "find", json!({ "query": query })),
            &knowing(&known, taint),
        )
        .0
    };
    for taint in [Taint::default(), outside()] {
        assert_eq!(
            search(
                "gifts: MY sister\u{2019}s  birthday is on 3 may?",
                taint.clone()
            ),
            Says::AskOnce
        );
        assert_eq!(search("tea gifts for a sister", taint), Says::Allow);
    }
    assert_eq!(search("tea", Taint::private("email")), Says::AskOnce);
}
