//! Which permissions does this person's chats have at all?

use serde::{Deserialize, Serialize};

use crate::tool::Permission;

/// The grants in force. Empty grants nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// `permission` or `permission:resource`.
    pub grants: Vec<Permission>,
}
