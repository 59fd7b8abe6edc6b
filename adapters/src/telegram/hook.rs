//! How does Telegram come to our door? It is registered with a secret, looked at again, and left
//! without losing what waits there.

use std::time::Duration;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde_json::{Value, json};
use tracing::{info, warn};
use url::Url;

use super::api::Api;
use super::decode::{Me, decode};
use super::listen::KINDS;
use crate::patience::{Patience, now};
use crate::{AdapterError, Check, ConfigError, Door, DoorMethod, Inbox, Webhooks};

/// The door of one line.
#[derive(Debug)]
pub(super) struct Hook {
    path: String,
    url: Url,
    secret: Secret<String>,
}

/// Whether a door was registered when we went back to asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// One was.
    ADoor,
    /// None was.
    Nothing,
}

impl Hook {
    /// The door of a line under the public address.
    ///
    /// # Errors
    /// When the address cannot carry a path, or the secret would keep nobody out.
    pub(super) fn new(line: &LineId, webhooks: &Webhooks) -> Result<Self, ConfigError> {
        let secret = webhooks.secret.reveal();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !(SHORTEST_SECRET..=256).contains(&secret.len()) || !secret.chars().all(fits) {
            return Err(ConfigError(
                "the secret of its door is no secret; take webhook.key out of the data folder and start again"
                    .to_owned(),
            ));
        }
        let path = format!("/hooks/{line}");
        let url = webhooks.public.join(&path).map_err(|_| {
            ConfigError(
                "public in [webhooks] is no address; write it like https://bot.example.org"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            path,
            url,
            secret: webhooks.secret.clone(),
        })
    }

    pub(super) fn secret(&self) -> Secret<String> {
        self.secret.clone()
    }

    pub(super) fn door(&self) -> Door {
        Door {
            path: self.path.clone(),
            method: DoorMethod::Post,
            cap: LARGEST_UPDATE,
            check: Check::Secret {
                header: "x-telegram-bot-api-secret-token",
                secret: self.secret.clone(),
            },
        }
    }

    /// Registers the door and looks after it, until something is wrong that waiting does not mend.
    pub(super) async fn keep(
        &self,
        api: &Api,
        line: &LineId,
        inbox: &dyn Inbox,
    ) -> Result<(), AdapterError> {
        let mut patience = Patience::default();
        loop {
            if let Err(error) = self.register(api).await {
                patience.wait(line, inbox, error).await?;
                continue;
            }
            info!(%line, "the door is registered");
            if patience.failures > 0 {
                inbox.hearing(line, None);
            }
            patience = Patience::default();
            self.look_after(api, line, inbox).await?;
        }
    }

    /// Registers the door and asks whether it is the one that is known now. If it is not, it is
    /// taken back, so that the platform keeps what it has until this works.
    async fn register(&self, api: &Api) -> Result<(), AdapterError> {
        let call = json!({
            "url": self.url,
            "secret_token": self.secret.reveal(),
            "allowed_updates": KINDS,
            // One at a time, so that they come in the order in which they happened.
            "max_connections": 1,
            "drop_pending_updates": false,
        });
        api.ask("SetWebhook", &call).await?;
        if self.is_registered(&api.ask("GetWebhookInfo", &json!({})).await?) {
            return Ok(());
        }
        delete(api).await?;
        Err(AdapterError::Refused(
            "it took our webhook and names another; ours was taken back and is tried again"
                .to_owned(),
        ))
    }

    fn is_registered(&self, info: &Value) -> bool {
        let allowed = info.get("allowed_updates").and_then(Value::as_array);
        let hears = |kind: &&&str| {
            allowed.is_none_or(|all| all.iter().any(|one| one.as_str() == Some(**kind)))
        };
        info.get("url").and_then(Value::as_str) == Some(self.url.as_str())
            && KINDS.iter().filter(hears).count() == KINDS.len()
    }

    /// Looks now and then whether the platform reaches the door. Returns once it names another.
    async fn look_after(
        &self,
        api: &Api,
        line: &LineId,
        inbox: &dyn Inbox,
    ) -> Result<(), AdapterError> {
        let mut troubled = false;
        loop {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            let info = match api.ask("GetWebhookInfo", &json!({})).await {
                Ok(info) => info,
                Err(error @ AdapterError::Credentials(_)) => return Err(error),
                // It may still reach us; what it says next time counts.
                Err(_) => continue,
            };
            if !self.is_registered(&info) {
                warn!(%line, "another webhook took the place of ours; registering it again");
                return Ok(());
            }
            let trouble = unreached(api, &info);
            if let Some(trouble) = &trouble {
                inbox.hearing(line, Some(trouble));
            } else if troubled {
                inbox.hearing(line, None);
            }
            troubled = trouble.is_some();
        }
    }
}

/// Why updates wait there, when they do.
fn unreached(api: &Api, info: &Value) -> Option<AdapterError> {
    let waiting = info.get("pending_update_count").and_then(Value::as_i64);
    let why = info.get("last_error_message").and_then(Value::as_str)?;
    (waiting.unwrap_or(0) > 0).then(|| AdapterError::Retry {
        after: None,
        why: format!(
            "it does not reach our door ({}); look at the proxy behind the public address",
            api.harmless(why)
        ),
    })
}

/// Goes back to asking. What waits for a door stays with the platform.
pub(super) async fn leave(api: &Api) -> Result<Left, AdapterError> {
    let info = api.ask("GetWebhookInfo", &json!({})).await?;
    match info.get("url").and_then(Value::as_str) {
        None | Some("") => Ok(Left::Nothing),
        Some(_) => delete(api).await.map(|()| Left::ADoor),
    }
}

async fn delete(api: &Api) -> Result<(), AdapterError> {
    let call = json!({"drop_pending_updates": false});
    api.ask("DeleteWebhook", &call).await.map(drop)
}

/// Stores what one request holds. One that cannot be read would only come again, so it is passed
/// over.
pub(super) async fn take(
    line: &LineId,
    me: &Me,
    body: &[u8],
    inbox: &dyn Inbox,
) -> Result<(), AdapterError> {
    let Ok(update) = serde_json::from_slice::<Value>(body) else {
        warn!(%line, "an update that cannot be read is passed over");
        return Ok(());
    };
    let events = decode(line, me, &update, now());
    if !events.is_empty() {
        // How far the line has heard stays as it is: an update with a lower number may still wait.
        inbox.accept(line, events, None).await?;
    }
    Ok(())
}

/// The largest update that is read, in bytes. Telegram's are far smaller.
const LARGEST_UPDATE: usize = 1 << 20;
const SHORTEST_SECRET: usize = 32;
const BETWEEN_LOOKS: Duration = Duration::from_secs(60);
