//! What is granted, and what only looks like it.

use std::sync::Arc;

use bot_policy::access::Scope;
use bot_policy::decide::Says;
use bot_policy::grants::{Grants, NotAPermission};
use bot_policy::rules::Action;
use bot_policy::tool::Permission;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::{call, judged, tools, write_notes};

#[derive(Deserialize)]
struct Row {
    id: u32,
    grants: Value,
    approval_required: Value,
    request: Option<String>,
    request_structured: Option<Structured>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Structured {
    name: String,
    resource: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Expected {
    Judged {
        allowed: bool,
        approval_required: bool,
    },
    Refused {
        error: String,
    },
}

/// Judged otherwise, because the design says that paths are resolved before they are matched, that
/// a resource is one thing from the call's own arguments, and that what cannot be read well is
/// refused when it is read.
const OTHERWISE: [(u32, &str); 8] = [
    (64, "a file is the same with a slash behind it"),
    (81, "`[^` is refused when it is read, as another row asks"),
    (89, "a request is one thing, never a pattern"),
    (111, "scheme and host have no case"),
    (128, "a doubled slash is one"),
    (129, "the same file, written in another way"),
    (135, "a request is one thing, never a pattern"),
    (145, "a request is one thing, never a pattern"),
];

#[test]
fn each_recorded_request_is_judged_as_it_should_be() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("../fixtures/policy/grants.json")).unwrap();
    let wrong: Vec<(u32, Expected)> = rows
        .iter()
        .map(|row| (row, said(row)))
        .filter(|(row, got)| !is_as(got, &row.expected))
        .map(|(row, got)| (row.id, got))
        .collect();
    eprintln!("grants: {} rows, {} by the design", rows.len(), wrong.len());
    let ids: Vec<u32> = wrong.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, OTHERWISE.map(|(id, _)| id), "{wrong:?}");
    assert_eq!(rows.len(), 140);
}

/// What is refused when it is read grants nothing, which is as good as denied.
fn is_as(got: &Expected, expected: &Expected) -> bool {
    let denied = |one: &Expected| match one {
        Expected::Judged { allowed, .. } => !allowed,
        Expected::Refused { .. } => true,
    };
    match (got, expected) {
        (Expected::Refused { .. }, Expected::Judged { .. }) => denied(expected),
        (Expected::Judged { .. }, Expected::Refused { .. }) => denied(got),
        (Expected::Refused { .. }, Expected::Refused { .. }) => true,
        (Expected::Judged { .. }, Expected::Judged { .. }) => got == expected,
    }
}

fn said(row: &Row) -> Expected {
    let refused = || Expected::Refused {
        error: String::new(),
    };
    let Ok(grants) = Grants::read(&row.grants, &row.approval_required) else {
        return refused();
    };
    let wanted = match (&row.request, &row.request_structured) {
        (Some(text), _) => {
            let (name, resource) = text
                .split_once(':')
                .map_or((text.as_str(), None), |(name, resource)| {
                    (name, Some(resource))
                });
            let resource = resource.map(|resource| resource.trim().to_owned());
            Permission {
                name: name.trim().into(),
                resource,
            }
        }
        (None, Some(made)) => Permission {
            name: made.name.clone(),
            resource: made.resource.clone(),
        },
        (None, None) => return refused(),
    };
    let allowed = grants.cover(&wanted)
        && wanted
            .resource
            .as_ref()
            .is_none_or(|resource| !resource.trim().is_empty());
    Expected::Judged {
        allowed,
        approval_required: allowed && grants.asks_every_time(&wanted),
    }
}

#[test]
fn what_asks_every_time_is_read_strictly_and_held_widely() {
    let gates = |list: Value| Grants::read(&json!(["fs.write", "fs.read"]), &list);
    for wrong in [
        json!("fs.write"),
        json!(["FS.WRITE"]),
        json!([""]),
        json!([1]),
        json!(null),
        json!(["fs*"]),
    ] {
        assert!(gates(wrong.clone()).is_err(), "{wrong}");
    }
    let asks = |gate: &str, wanted: &str| {
        gates(json!([gate]))
            .unwrap()
            .asks_every_time(&wanted.parse().unwrap())
    };
    for (gate, wanted, held) in [
        ("*", "fs.read", true),
        ("fs.*", "fs.read:/a", true),
        ("fs.*", "fsx.read", false),
        ("fs.write:/prod/**", "fs.write:/prod/x", true),
        ("fs.write:/prod/**", "fs.write:/dev/x", false),
        ("fs.write:/prod/**", "fs.write", true),
        ("fs.write:/prod/**", "fs.write:/dev/*", true),
        ("fs.write:/prod/**", "fs.read:/prod/x", false),
    ] {
        assert_eq!(asks(gate, wanted), held, "{gate} {wanted}");
    }
    assert!(
        serde_json::from_value::<Grants>(json!({"grants": [], "approval_required": ["X"]}))
            .is_err()
    );
}

#[test]
fn what_a_grant_gates_asks_once_whatever_the_rules_say() {
    let mut standing = crate::world::with_rules(vec![crate::world::rule("@files", Action::Allow)]);
    let mut grants = Grants::shipped(Scope::Owner, &tools());
    grants.approval_required = vec!["files.write:notes.txt".parse().unwrap()];
    standing.grants = Arc::new(grants);
    assert_eq!(judged(write_notes(), &standing), (Says::AskOnce, vec![6]));
    let other = call("files", "write", json!({"file": "a", "content": ""}));
    assert_eq!(judged(other, &standing), (Says::Allow, vec![13]));
}

#[test]
fn empty_grants_nothing() {
    assert!(!Grants::default().cover(&permission("files.read")));
}

#[test]
fn a_grant_on_a_resource_never_covers_a_request_on_anything() {
    assert!(!grants(&["files.read:**"]).cover(&permission("files.read")));
    assert!(grants(&["files.read"]).cover(&permission("files.read:a/b")));
}

#[test]
fn addresses_are_matched_by_scheme_host_and_path() {
    let grants = grants(&["net.fetch:https://*.example.org/docs/**"]);
    for (address, covered) in [
        ("https://a.example.org/docs/x/y?q=1", true),
        ("https://A.EXAMPLE.ORG/docs/x", true),
        ("http://a.example.org/docs/x", false),
        ("https://example.org/docs/x", false),
        ("https://evilexample.org/docs/x", false),
        ("https://a.example.org/docs/../x", false),
        ("https://a.example.org@evil.net/docs/x", false),
        ("https://evil.net/?.example.org/docs/x", false),
        ("https://evil.net\\.example.org/docs/x", false),
    ] {
        let wanted = Permission {
            name: "net.fetch".into(),
            resource: Some(address.into()),
        };
        assert_eq!(grants.cover(&wanted), covered, "{address}");
    }
}

#[test]
fn what_could_never_match_is_refused_when_it_is_read() {
    for text in [
        "",
        "*",
        "fs.*",
        "!fs.write",
        "fs..read",
        "Fs.read",
        "a b",
        ":x",
    ] {
        assert_eq!(
            text.parse::<Permission>(),
            Err(NotAPermission::Name),
            "{text}"
        );
    }
    for text in [
        "fs.read:",
        "fs.read:/a/../b",
        "fs.read:/a[b",
        "n.f:https://example.org*",
        "n.f:https://a@b/",
    ] {
        assert_eq!(
            text.parse::<Permission>(),
            Err(NotAPermission::Resource),
            "{text}"
        );
    }
}

#[test]
fn what_comes_with_postern_is_the_built_in_tools_of_the_place() {
    let names = |scope| {
        let grants = Grants::shipped(scope, &tools());
        grants
            .grants
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let guests = ["memory.save", "memory.search", "web.fetch"];
    assert_eq!(names(Scope::Guest), guests);
    assert_eq!(names(Scope::Group), guests);
    assert_eq!(names(Scope::OwnerIncognito), ["web.fetch"]);
    assert_eq!(names(Scope::Owner).len(), 11);
}

fn grants(texts: &[&str]) -> Grants {
    Grants {
        grants: texts.iter().map(|text| permission(text)).collect(),
        approval_required: Vec::new(),
    }
}

fn permission(text: &str) -> Permission {
    text.parse().unwrap()
}
