//! Where do platforms come to us? The listener of the doors, and the secrets that keep others out.

use std::collections::BTreeMap;
use std::fs;
use std::future::Future;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adapters::{Adapter, AdapterError, Arrived, Door, DoorAnswer, Ground, Webhooks};
use async_trait::async_trait;
use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::config::{Config, Listen};
use crate::http::{Porter, Undelivered, serve_doors};
use crate::inbox;
use crate::listen::{self, Bound};
use crate::{House, chance};
use adapters::quoted;

/// The file in the data folder from which the secret of each door is derived.
const KEY_FILE: &str = "webhook.key";

/// The doors cannot be served. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// It is no key, or others can read it.
    #[error("{} cannot be trusted: {why}; take it away with: rm {}", .file.display(), quoted(.file))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// They have nowhere to listen.
    #[error("webhooks: {0}")]
    Bind(String),
    /// The system refused.
    #[error("{} cannot be used: {why}; look at the data folder and its disk", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What it said.
        why: std::io::Error,
    },
    /// No randomness to make it from.
    #[error(transparent)]
    Chance(#[from] chance::NoRandomness),
}

/// The key of all doors, in a file of the owner's alone.
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Reads the key of a data folder, making it when there is none.
    pub(crate) fn of(data: &Path) -> Result<Self, HookError> {
        let file = data.join(KEY_FILE);
        let io = |why| HookError::Io {
            file: file.clone(),
            why,
        };
        match fs::File::open(&file) {
            Ok(open) => read(&file, open),
            Err(why) if why.kind() == ErrorKind::NotFound => {
                let key = chance::bytes()?;
                // Whole or not there: a crash in between leaves no half of a key.
                let half = data.join("webhook.key.new");
                let mut made = fs::OpenOptions::new()
                    .write(true)
                    .create(true)
                    .truncate(true)
                    .mode(0o600)
                    .open(&half)
                    .map_err(io)?;
                made.write_all(&key).map_err(io)?;
                made.sync_all().map_err(io)?;
                fs::rename(&half, &file).map_err(io)?;
                Ok(Self(key))
            }
            Err(why) => Err(io(why)),
        }
    }

    /// What one line is set up on. A line is known to its platform by a secret of its own.
    pub(crate) fn ground(&self, config: &Config, line: &LineId) -> Ground {
        let Some(webhooks) = &config.webhooks else {
            return Ground::default();
        };
        // A key of any length is taken, so there is always a secret; without one there is no door.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return Ground::default();
        };
        let tag = mac.chain_update(line.as_str()).finalize().into_bytes();
        Ground {
            webhooks: Some(Webhooks {
                public: webhooks.public.clone(),
                secret: Secret::new(tag.iter().map(|byte| format!("{byte:02x}")).collect()),
            }),
        }
    }
}

/// What a line is looked at on, when nothing is served.
pub(crate) fn looked_at(config: &Config) -> Ground {
    Key([1; 32]).ground(config, &LineId::new("looked-at"))
}

fn read(file: &Path, open: fs::File) -> Result<Key, HookError> {
    let io = |why| HookError::Io {
        file: file.to_owned(),
        why,
    };
    let damaged = |why| HookError::Damaged {
        file: file.to_owned(),
        why,
    };
    if open.metadata().map_err(io)?.mode() & 0o077 != 0 {
        return Err(damaged("others can read it"));
    }
    let mut bytes = Vec::new();
    open.take(64).read_to_end(&mut bytes).map_err(io)?;
    let key: [u8; 32] = bytes
        .try_into()
        .map_err(|_| damaged("it does not hold 32 bytes"))?;
    if key == [0; 32] {
        return Err(damaged("it is empty"));
    }
    Ok(Key(key))
}

/// The listener of the doors, where any are configured.
pub(crate) async fn bind(config: &Config) -> Result<Option<Bound>, HookError> {
    let Some(webhooks) = &config.webhooks else {
        return Ok(None);
    };
    let bound = listen::bind(Listen::Configured(webhooks.listen)).await;
    let named = |why: listen::BindError| why.to_string().replace("web.listen", "webhooks.listen");
    bound.map(Some).map_err(|why| HookError::Bind(named(why)))
}

/// Where the doors are, here and outside.
pub(crate) fn shown(config: &Config, bound: Option<&Bound>) -> Option<(SocketAddr, String)> {
    let public = config.webhooks.as_ref()?.public.to_string();
    Some((bound?.at, public))
}

/// Serves the doors, where there are any, until `shutdown`.
pub(crate) async fn serve(house: Arc<House>, bound: Option<Bound>, shutdown: impl Future) {
    if let Some(bound) = bound {
        let porter = Arc::new(Porch::new(&house));
        serve_doors(bound.listener, porter, shutdown).await;
    }
}

/// Takes in what comes through the doors of all lines.
struct Porch {
    house: Arc<House>,
    by_path: BTreeMap<String, Arc<dyn Adapter>>,
}

impl Porch {
    fn new(house: &Arc<House>) -> Self {
        let doors = house.lines.values().flat_map(|line| {
            let paths = line.doors().into_iter().map(|door| door.path);
            paths.map(|path| (path, line.clone()))
        });
        Self {
            by_path: doors.collect(),
            house: house.clone(),
        }
    }
}

#[async_trait]
impl Porter for Porch {
    fn doors(&self) -> Vec<Door> {
        let lines = self.house.lines.values();
        lines.flat_map(|line| line.doors()).collect()
    }

    async fn deliver(&self, request: Arrived) -> Result<DoorAnswer, Undelivered> {
        let line = self.by_path.get(&request.path).ok_or(Undelivered::Never)?;
        let inbox = inbox::Door {
            house: self.house.clone(),
            under: None,
        };
        line.webhook(request, &inbox).await.map_err(|error| {
            let line = line.line();
            if let AdapterError::Refused(_) = error {
                tracing::warn!(%line, %error, "a webhook is none of ours");
                return Undelivered::Never;
            }
            tracing::error!(%line, %error, "a webhook could not be taken in");
            Undelivered::Now
        })
    }
}
