//! Sources that the owner marked.

use std::collections::BTreeSet;

use bot_policy::decide::{Says, Standing};
use bot_policy::id::{PersonId, SourceName, ToolName};
use bot_policy::sensitive::{Looks, Sensitive, looks};
use bot_policy::taint::Taint;
use bot_policy::tool::{Change, Origin, Reach, ToolSpec};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{call, command, judged, standing, tool, tools};

fn served(name: &str, server: &str) -> ToolSpec {
    let run = command("run", "t.run", Change::Nothing, Reach::Here);
    let origin = Origin::Server {
        name: server.into(),
        digest: "d".into(),
    };
    ToolSpec {
        origin,
        ..tool(name, vec![run])
    }
}

fn sources(taint: &Taint) -> Vec<&str> {
    taint.sensitive.iter().map(SourceName::as_str).collect()
}

#[test]
fn a_marked_server_tool_or_memory_marks_what_it_brings_in() {
    let marked = Sensitive {
        memories: BTreeSet::from([PersonId(1)]),
        servers: BTreeSet::from(["bank".to_owned()]),
        tools: BTreeSet::from([ToolName::new("crm"), ToolName::new("files")]),
    };
    let run = |spec: &ToolSpec, command: &str| {
        let call = call(spec.name.as_str(), command, json!({}));
        marked.marks(spec, &call, PersonId(1))
    };
    assert_eq!(sources(&run(&served("accounts", "bank"), "run")), ["bank"]);
    assert_eq!(sources(&run(&served("crm", "office"), "run")), ["office"]);
    assert_eq!(sources(&run(&served("mail", "office"), "run")), [""; 0]);
    let own = |name: &str| {
        tools()
            .into_iter()
            .find(|spec| spec.name.as_str() == name)
            .unwrap()
    };
    assert_eq!(
        sources(&run(&own("memory"), "search")),
        ["the memory of person 1"]
    );
    assert_eq!(sources(&run(&own("files"), "read")), ["files"]);
    let search = call("memory", "search", json!({"query": "x"}));
    assert!(
        marked
            .marks(&own("memory"), &search, PersonId(2))
            .is_clean()
    );
    assert_eq!(
        sources(&marked.at_start(PersonId(1))),
        ["the memory of person 1"]
    );
    assert!(
        Sensitive::default()
            .marks(&served("bank", "bank"), &search, PersonId(1))
            .is_clean()
    );
}

#[test]
fn what_was_read_from_a_marked_source_goes_back_there_and_nowhere_else() {
    let marked = Sensitive {
        servers: BTreeSet::from(["bank".to_owned()]),
        ..Sensitive::default()
    };
    let (bank, office) = (served("accounts", "bank"), served("crm", "office"));
    let taint = marked.marks(&bank, &call("accounts", "run", json!({})), PersonId(1));
    let base = standing();
    let mut tools = base.tools.to_vec();
    tools.extend([bank, office]);
    let grants = ["t.run".parse().unwrap()]
        .into_iter()
        .chain(base.grants.grants.clone())
        .collect();
    let grants = bot_policy::grants::Grants {
        grants,
        approval_required: Vec::new(),
    };
    let standing = Standing {
        taint: taint.handed_down(),
        tools: tools.into(),
        grants: grants.into(),
        ..base
    };
    let rows = |tool: &str| judged(call(tool, "run", json!({})), &standing);
    assert!(!rows("accounts").1.contains(&8));
    assert_eq!(
        (rows("crm").0, rows("crm").1.contains(&8)),
        (Says::AskOnce, true)
    );
}

#[test]
fn servers_named_like_a_bank_or_a_doctor_are_suggested_and_never_marked() {
    for name in [
        "my-bank",
        "commerzbank",
        "Plaid",
        "tax_office",
        "stripe.payments",
        "Sparkasse",
        "invoices",
    ] {
        assert_eq!(looks(name), Some(Looks::Money), "{name}");
    }
    for name in [
        "health",
        "city-hospital",
        "fhir_server",
        "My Doctor",
        "medical-records",
        "patients",
    ] {
        assert_eq!(looks(name), Some(Looks::Health), "{name}");
    }
    for name in ["files", "github", "calendar", "taxi", "doctrine", ""] {
        assert_eq!(looks(name), None, "{name}");
    }
}

proptest! {
    #[test]
    fn marks_are_sticky_and_handed_to_children(one in "[a-c]", two in "[a-c]") {
        let mark = |name: &str| Taint {
            sensitive: BTreeSet::from([SourceName::new(name)]),
            ..Taint::outside("a page")
        };
        let parent = mark(&one);
        let child = parent.handed_down().join(&mark(&two));
        prop_assert!(child.sensitive.is_superset(&parent.sensitive));
        prop_assert!(child.outside.is_marked());
    }
}
