//! Would this call carry something out of here?

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::id::Place;
use crate::site;
use crate::taint::Taint;
use crate::tool::{Change, Effects, Reach};

/// Addresses of pages that are free for one registrable domain, in one conversation.
pub const FREE_PER_DOMAIN: u32 = 8;
/// Addresses of pages that are free in one conversation.
pub const FREE_PER_CONVERSATION: u32 = 24;
/// The shortest memory that is looked for in a search, in characters.
pub const MEMORY_CHARACTERS: usize = 8;

/// What a conversation knows that a call may name: whole addresses, and the memories that a search
/// must not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    typed: BTreeSet<String>,
    read: BTreeSet<String>,
    taken: BTreeMap<String, u32>,
    memories: BTreeSet<String>,
}

/// What a call would send along with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sends {
    /// The address alone.
    Address,
    /// Something more, which an address that is free does not free.
    More,
}

impl Known {
    /// Takes note of the owner's own words: addresses that stand whole in them are free.
    pub fn typed(&mut self, words: &str) {
        self.typed.extend(site::addresses(words));
    }

    /// Takes note of a page that was read: addresses that stand whole in it are free while they
    /// are few.
    pub fn read(&mut self, page: &str) {
        self.read.extend(site::addresses(page));
    }

    /// Takes note that a call named this address; to be called for each that ran without a
    /// question.
    pub fn took(&mut self, address: &str) {
        let Some(address) = site::whole(address).filter(|whole| !self.typed.contains(whole)) else {
            return;
        };
        let count = self.taken.entry(site::domain_of(&address)).or_default();
        *count = count.saturating_add(1);
    }

    /// Takes note of a memory.
    pub fn remembers(&mut self, memory: &str) {
        let memory = folded(memory);
        if memory.chars().count() >= MEMORY_CHARACTERS {
            self.memories.insert(memory);
        }
    }

    /// Whether this address is free after outside content.
    pub fn frees(&self, address: &str) -> bool {
        let Some(address) = site::whole(address) else {
            return false;
        };
        let of_domain = self
            .taken
            .get(&site::domain_of(&address))
            .copied()
            .unwrap_or(0);
        let all = self
            .taken
            .values()
            .fold(0_u32, |all, one| all.saturating_add(*one));
        self.typed.contains(&address)
            || (self.read.contains(&address)
                && of_domain < FREE_PER_DOMAIN
                && all < FREE_PER_CONVERSATION)
    }

    /// Whether a text holds one of the memories, whatever its case, blanks and signs.
    pub fn tells(&self, text: &str) -> bool {
        let text = format!(" {} ", folded(text));
        self.memories
            .iter()
            .any(|memory| text.contains(&format!(" {memory} ")))
    }
}

/// Words in lower case, one blank between.
fn folded(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Where a call reaches to, in words for a person; none where nothing leaves the place it was
/// asked in.
pub fn beyond(reach: &Reach, here: &Place) -> Option<String> {
    match reach {
        Reach::Agent(name) => Some(format!("the agent {name}")),
        Reach::Here | Reach::Nowhere => None,
        Reach::Household => Some("everyone of the household".to_owned()),
        Reach::Net(address) if address.is_empty() => Some("the net".to_owned()),
        Reach::Net(address) => Some(format!("the net ({address})")),
        Reach::Place(place) if place == here => None,
        Reach::Place(_) => Some("another chat".to_owned()),
        Reach::Source(name) => Some(format!("the source {name}")),
    }
}

/// Whether sensitive data would leave the source that it came from; row 8.
pub fn leaks_sensitive(effects: &Effects, taint: &Taint, here: &Place) -> Option<String> {
    let foreign = taint.sensitive.iter().find(|read| match &effects.reach {
        Reach::Source(to) => *read != to,
        Reach::Agent(_)
        | Reach::Here
        | Reach::Household
        | Reach::Net(_)
        | Reach::Nowhere
        | Reach::Place(_) => true,
    })?;
    let to = beyond(&effects.reach, here)?;
    Some(format!(
        "the sensitive source {foreign} was read, and this reaches {to}"
    ))
}

/// Whether data would be carried out after outside or private content was read, or a search would
/// tell a memory; row 10. After private content no address is free.
pub(crate) fn carries_out<'a>(
    effects: &Effects,
    taint: &Taint,
    here: &Place,
    known: &Known,
    mut texts: impl Iterator<Item = &'a str>,
    sends: Sends,
) -> Option<String> {
    let to = beyond(&effects.reach, here)?;
    if taint.private.is_marked() {
        return Some(format!("private data was read, and this reaches {to}"));
    }
    let (free, searches) = match (&effects.reach, effects.change) {
        (Reach::Net(address), Change::Nothing) => {
            let searches = address.is_empty();
            let alone = sends == Sends::Address;
            (searches || (alone && known.frees(address)), searches)
        }
        (Reach::Net(address), Change::NewMemory | Change::Something) => {
            (sends == Sends::Address && known.frees(address), false)
        }
        (
            Reach::Agent(_)
            | Reach::Here
            | Reach::Household
            | Reach::Nowhere
            | Reach::Place(_)
            | Reach::Source(_),
            _,
        ) => (false, false),
    };
    if searches && texts.any(|text| known.tells(text)) {
        return Some("the search holds something that is remembered".to_owned());
    }
    (taint.outside.is_marked() && !free)
        .then(|| format!("outside content was read, and this reaches {to}"))
}
