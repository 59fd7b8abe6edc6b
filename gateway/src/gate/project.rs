//! Which rules hold in a conversation's folder? The owner's, with those that the folder brings
//! along: what they tighten at once, what they loosen once the owner trusted that very file.

use std::fmt::Write;
use std::sync::{Arc, PoisonError};

use bot_policy::rules::{Loosening, Rule, Rules, Trust, loosening, merge, trust};
use bot_policy::visible;

use crate::project::Project;
use crate::rulebook::RulebookError;
use crate::store::{AuditEntry, Loaded, Offer, StoreError};
use crate::{House, clock, code, digest};

/// The longest text that asks for trust, in bytes: more than that nobody reads before they press.
const ASKED_BYTES: usize = 12 * 1024;

/// The rules in force.
///
/// # Errors
/// The inner one when the owner's rules or the folder's cannot be read; nothing may run then.
pub(super) async fn rules(
    house: &House,
    loaded: &Loaded,
) -> Result<Result<Arc<Rules>, RulebookError>, StoreError> {
    let global = match house.rulebook.in_force() {
        Ok(global) => global,
        Err(error) => return Ok(Err(error)),
    };
    note_rules(house, &global).await?;
    let project = match Project::find(&code::folder(house, loaded)) {
        Ok(Some(project)) => project,
        Ok(None) => return Ok(Ok(global)),
        Err(error) => return Ok(Err(error)),
    };
    let path = project.file.display().to_string();
    let trusted = house.store.trusted_projects(path.clone()).await?;
    let trust = trust(&project.text, &trusted);
    match trust {
        Trust::Trusted => {}
        Trust::Untrusted => ask(house, &project, path, &global).await?,
    }
    Ok(Ok(Arc::new(merge(&global, &project.rules, trust))))
}

/// Notes which rules of the owner's hold, where they are others than before: whoever changed the
/// file left no other trace.
pub(crate) async fn note_rules(house: &House, rules: &Rules) -> Result<(), StoreError> {
    let text = serde_json::to_vec(rules.owners()).unwrap_or_default();
    let digest = digest::keyed(&house.audit_key, &text);
    let last = || house.ruled.lock().unwrap_or_else(PoisonError::into_inner);
    if *last() == digest {
        return Ok(());
    }
    let rules = digest.clone();
    let entry = AuditEntry::Ruled { rules };
    house.store.note(entry, clock::now()).await?;
    *last() = digest;
    Ok(())
}

/// Puts the file to the owner in their direct chats, once for each text that it holds.
async fn ask(
    house: &House,
    project: &Project,
    path: String,
    global: &Rules,
) -> Result<(), StoreError> {
    let loosens = loosening(global, &project.rules);
    if loosens.is_empty() {
        return Ok(());
    }
    let text = asks(&path, &loosens);
    let (text, offer) = if text.len() <= ASKED_BYTES {
        (text, Offer::Trust)
    } else {
        let told = format!(
            "The rule file {} would loosen more than can be shown here whole, so it cannot be trusted: make it shorter. What it tightens counts.",
            visible::foreign(&path)
        );
        (told, Offer::Nothing)
    };
    let digest = digest::hex(project.text.as_bytes());
    let letters = house
        .store
        .ask_project(path, digest, (text, offer), clock::now())
        .await?;
    house.post(letters);
    Ok(())
}

fn asks(path: &str, loosens: &Loosening) -> String {
    let mut text = format!(
        "The rule file {} would loosen your rules for what is done in its folder.\n",
        visible::foreign(path)
    );
    list(
        &mut text,
        "It would let these run without a question:",
        &loosens.allows,
    );
    list(
        &mut text,
        "It would set aside your rules that ask:",
        &loosens.lifts,
    );
    if loosens.stands_alone {
        text.push_str("Of your rules only those that deny would hold there, also of those that you add later.\n");
    }
    text.push_str(
        "What you deny stays denied. What it tightens counts without your trust. If the file changes, I ask again.",
    );
    text
}

fn list(text: &mut String, title: &str, rules: &[Rule]) {
    if rules.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for rule in rules {
        let pattern = visible::line(&rule.pattern);
        let _ = writeln!(text, "  {}", visible::foreign(pattern.as_str()));
    }
}
