//! Which permissions does this person's chats have at all?

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::{Scope, offers};
use crate::glob;
use crate::path;
use crate::tool::{Origin, Permission, ToolSpec};

/// The grants in force. Empty grants nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grants {
    /// `permission` or `permission:resource`.
    pub grants: Vec<Permission>,
    /// What asks every time although it is granted.
    #[serde(default)]
    pub approval_required: Vec<Gate>,
}

/// What asks every time although it is granted: `fs.write`, `fs.write:/prod/**`, `fs.*` or `*`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Gate {
    /// Every permission whose name begins with this; empty for all.
    Below(String),
    /// One permission, on what it names or on anything.
    On(Permission),
}

/// Grants could not be read, so nothing is granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGrants {
    /// It is no list of texts.
    #[error("{0} is a list of texts")]
    NotAList(&'static str),
    /// One of them is no permission.
    #[error("\"{text}\": {why}")]
    Wrong {
        /// Which.
        text: String,
        /// Why not.
        why: NotAPermission,
    },
}

/// A text is no permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPermission {
    /// Its name is not lower-case words with dots between.
    #[error("a permission is lower-case words with dots between, such as files.write")]
    Name,
    /// What follows the colon is empty, climbs out of its start, or is too long.
    #[error(
        "after the colon stands a resource: a path without `..` or an address, at most 500 bytes"
    )]
    Resource,
}

impl Grants {
    /// What comes with Postern: in a place of this scope, the permissions of the built-in tools
    /// that are offered there, on all that is the place's own.
    pub fn shipped(scope: Scope, tools: &[ToolSpec]) -> Self {
        let mut grants: Vec<Permission> = tools
            .iter()
            .filter(|tool| tool.origin == Origin::BuiltIn && offers(scope, tool))
            .flat_map(|tool| &tool.commands)
            .map(|command| Permission {
                name: command.permission.clone(),
                resource: None,
            })
            .collect();
        grants.sort();
        grants.dedup();
        Self {
            grants,
            approval_required: Vec::new(),
        }
    }

    /// Reads what is granted and what asks every time, both lists of texts.
    ///
    /// # Errors
    /// When either is something else or holds one wrong text; nothing is granted then.
    pub fn read(grants: &Value, approval_required: &Value) -> Result<Self, NotGrants> {
        Ok(Self {
            grants: list("grants", grants)?,
            approval_required: list("approval_required", approval_required)?,
        })
    }

    /// Whether the permission asks every time. What is wanted on anything, or on what cannot be
    /// told, may be on what asks.
    pub fn asks_every_time(&self, wanted: &Permission) -> bool {
        self.approval_required.iter().any(|gate| match gate {
            Gate::Below(start) => wanted.name.starts_with(start),
            Gate::On(gate) => {
                let told = wanted.resource.as_deref().is_some_and(|resource| {
                    is_concrete(resource) && Resource::read(resource).is_some()
                });
                gate.name == wanted.name && (!told || covers(gate, wanted, &Cell::new(0)))
            }
        })
    }

    /// Whether a grant covers the permission. A grant without a resource covers every resource; a
    /// grant on a resource never covers a request on anything.
    pub fn cover(&self, wanted: &Permission) -> bool {
        self.covered(wanted, &Cell::new(0))
    }

    /// How many comparisons that takes, beyond one for each grant; at most the bytes of all grants
    /// times those of what is wanted.
    pub fn steps(&self, wanted: &Permission) -> usize {
        let steps = Cell::new(0);
        self.covered(wanted, &steps);
        steps.get()
    }

    fn covered(&self, wanted: &Permission, steps: &Cell<usize>) -> bool {
        let mut grants = self.grants.iter();
        is_name(&wanted.name) && grants.any(|grant| covers(grant, wanted, steps))
    }
}

impl FromStr for Gate {
    type Err = NotAPermission;

    fn from_str(text: &str) -> Result<Self, NotAPermission> {
        let below = match text.trim() {
            "*" => Some(""),
            text => text
                .strip_suffix('*')
                .filter(|start| start.strip_suffix('.').is_some_and(is_name)),
        };
        match below {
            Some(start) => Ok(Self::Below(start.to_owned())),
            None => text.parse().map(Self::On),
        }
    }
}

impl TryFrom<String> for Gate {
    type Error = NotAPermission;

    fn try_from(text: String) -> Result<Self, NotAPermission> {
        text.parse()
    }
}

impl From<Gate> for String {
    fn from(gate: Gate) -> Self {
        match gate {
            Gate::Below(start) => format!("{start}*"),
            Gate::On(permission) => permission.to_string(),
        }
    }
}

impl FromStr for Permission {
    type Err = NotAPermission;

    /// Reads `permission` or `permission:resource`; in a resource `*` stands for anything within
    /// a path segment and `**` for any segments.
    fn from_str(text: &str) -> Result<Self, NotAPermission> {
        let (name, resource) = match text.split_once(':') {
            None => (text.trim(), None),
            Some((name, resource)) => (name.trim(), Some(resource.trim())),
        };
        if !is_name(name) {
            return Err(NotAPermission::Name);
        }
        if resource.is_some_and(|resource| {
            resource.is_empty() || resource.len() > RESOURCE_BYTES || !is_pattern(resource)
        }) {
            return Err(NotAPermission::Resource);
        }
        Ok(Self {
            name: name.to_owned(),
            resource: resource.map(ToOwned::to_owned),
        })
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.resource {
            None => f.write_str(&self.name),
            Some(resource) => write!(f, "{}:{resource}", self.name),
        }
    }
}

/// A resource, taken apart so that no part of it can pose as another.
struct Resource {
    scheme: String,
    host: String,
    path: String,
}

impl Resource {
    fn read(text: &str) -> Option<Self> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Some(Self {
                scheme: String::new(),
                host: String::new(),
                path: path::normal(text)?,
            });
        };
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at_checked(at)?;
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '@' | '\\' | '%');
        if host.is_empty() || host.contains(odd) || path.contains('\\') {
            return None;
        }
        let at = path.find(['?', '#']).unwrap_or(path.len());
        let (path, query) = path.split_at_checked(at)?;
        if query.chars().any(char::is_control) {
            return None;
        }
        Some(Self {
            scheme: scheme.to_ascii_lowercase(),
            host: host.to_ascii_lowercase(),
            path: format!("{}{query}", path::normal(&format!("/{path}"))?),
        })
    }
}

fn covers(grant: &Permission, wanted: &Permission, steps: &Cell<usize>) -> bool {
    if grant.name != wanted.name {
        return false;
    }
    let (granted, wanted) = match (&grant.resource, &wanted.resource) {
        (None, _) => return true,
        (Some(_), None) => return false,
        (Some(granted), Some(wanted)) if is_concrete(wanted) => {
            (Resource::read(granted), Resource::read(wanted))
        }
        (Some(_), Some(_)) => return false,
    };
    match (granted, wanted) {
        (Some(granted), Some(wanted)) => {
            granted.scheme == wanted.scheme
                && covers_host(&granted.host, &wanted.host)
                && glob::covers_path(&granted.path, &wanted.path, steps)
        }
        (None, _) | (_, None) => false,
    }
}

/// Whether a resource can be granted: nothing in it climbs, hides or could never match.
fn is_pattern(text: &str) -> bool {
    let dots = text.split('/').any(|segment| matches!(segment, "." | ".."));
    let host = |resource: &Resource| {
        let host = resource.host.strip_prefix("*.").unwrap_or(&resource.host);
        !host.contains(['*', '?', '[', ']'])
    };
    !dots
        && !text.contains('\\')
        && glob::is_closed(text)
        && Resource::read(text).is_some_and(|resource| host(&resource))
}

/// Whether a wanted resource is one thing: no pattern, and nothing that another reader of paths
/// would decode into a way up.
fn is_concrete(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let encoded = ["%2e", "%2f", "%5c", "%25", "/..;"];
    let is_address = text.contains("://");
    !text.contains(['*', '\\'])
        && (is_address || !text.contains('?'))
        && !encoded.iter().any(|hidden| lower.contains(hidden))
}

/// A host is matched whole, or below a leading `*.`.
fn covers_host(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        None => pattern == host,
        Some(domain) => host
            .strip_suffix(domain)
            .and_then(|labels| labels.strip_suffix('.'))
            .is_some_and(|labels| !labels.is_empty()),
    }
}

fn is_name(name: &str) -> bool {
    name.split('.').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
    })
}

fn list<T: FromStr<Err = NotAPermission>>(
    name: &'static str,
    value: &Value,
) -> Result<Vec<T>, NotGrants> {
    let items = value.as_array().ok_or(NotGrants::NotAList(name))?;
    let read = |item: &Value| {
        let text = item.as_str().ok_or(NotGrants::NotAList(name))?;
        text.parse().map_err(|why| NotGrants::Wrong {
            text: text.to_owned(),
            why,
        })
    };
    items.iter().map(read).collect()
}

const RESOURCE_BYTES: usize = 500;
