//! What is granted, and what only looks like it.

use bot_policy::access::Scope;
use bot_policy::grants::{Grants, NotAPermission};
use bot_policy::tool::Permission;
use serde::Deserialize;
use serde_json::Value;

use crate::world::tools;

#[derive(Deserialize)]
struct Vector {
    id: u32,
    grants: Value,
    request: String,
    allowed: bool,
}

/// Judged otherwise here, on purpose. The same file or address written in another way is the same
/// (64, 111, 128, 129). Character classes are refused when they are read (76 to 89). A request is
/// one thing, never a pattern (135, 145).
const OTHERWISE: [u32; 12] = [64, 76, 78, 81, 83, 86, 89, 111, 128, 129, 135, 145];

#[test]
fn the_vectors_are_judged_as_they_should_be() {
    let text = include_str!("../fixtures/policy/grants.json");
    let vectors: Vec<Vector> = serde_json::from_str(text).unwrap();
    let wrong: Vec<u32> = vectors
        .iter()
        .filter(|vector| granted(vector) != vector.allowed)
        .map(|vector| vector.id)
        .collect();
    assert_eq!(wrong, OTHERWISE);
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

fn granted(vector: &Vector) -> bool {
    let Ok(texts) = serde_json::from_value::<Vec<String>>(vector.grants.clone()) else {
        return false;
    };
    // A list that holds one bad entry is refused as a whole.
    let Ok(grants) = texts.iter().map(|text| text.parse()).collect() else {
        return false;
    };
    if vector.request.ends_with(':') {
        assert!(vector.request.parse::<Permission>().is_err());
        return false;
    }
    let (name, resource) = match vector.request.split_once(':') {
        None => (vector.request.as_str(), None),
        Some((name, resource)) => (name, Some(resource.trim().to_owned())),
    };
    let wanted = Permission {
        name: name.trim().into(),
        resource,
    };
    Grants { grants }.cover(&wanted)
}

fn grants(texts: &[&str]) -> Grants {
    Grants {
        grants: texts.iter().map(|text| permission(text)).collect(),
    }
}

fn permission(text: &str) -> Permission {
    text.parse().unwrap()
}
