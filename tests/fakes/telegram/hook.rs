//! How are updates delivered to a webhook? One at a time, with the secret, again until it is taken.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::methods::{Refusal, refuse};
use super::state::State;
use super::{Fake, Shared};

/// A registered webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub url: String,
    pub secret: Option<String>,
    pub most: i64,
    /// Why the last delivery failed.
    pub error: Option<String>,
}

impl Fake {
    /// Whatever is posted to a public address arrives there: a proxy of the bot's owner.
    pub fn route(&self, public: &str, to: &str) {
        let mut state = self.shared.lock();
        state.routes.retain(|(known, _)| known != public);
        state.routes.push((public.to_owned(), to.to_owned()));
        drop(state);
        self.shared.changed();
    }

    /// Takes webhooks from now on and keeps none.
    pub fn forget_webhooks(&self) {
        self.shared.lock().forgetful = true;
    }

    /// Delivers what was taken once more, so often.
    pub fn repeat_deliveries(&self, times: usize) {
        self.shared.lock().repeats = times;
    }

    /// Where updates are delivered to, if anywhere.
    pub fn webhook(&self) -> Option<String> {
        let state = self.shared.lock();
        state.webhook.as_ref().map(|webhook| webhook.url.clone())
    }

    /// The secret that deliveries carry.
    pub fn webhook_secret(&self) -> Option<String> {
        self.shared.lock().webhook.as_ref()?.secret.clone()
    }
}

/// How long a failed delivery waits. The real one waits longer, and longer each time.
const AGAIN: Duration = Duration::from_millis(50);

pub fn set(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let url = body["url"].as_str().unwrap_or("");
    if url.is_empty() {
        return delete(state, body);
    }
    if !url.starts_with("https://") {
        let why = "Bad Request: bad webhook: An HTTPS URL must be provided for webhook";
        return Err(refuse(400, why));
    }
    let secret = body["secret_token"].as_str().map(str::to_owned);
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if secret
        .as_ref()
        .is_some_and(|secret| !(1..=256).contains(&secret.len()) || !secret.chars().all(fine))
    {
        let why = "Bad Request: secret token contains unallowed characters";
        return Err(refuse(400, why));
    }
    let most = body["max_connections"].as_i64().unwrap_or(40);
    if !(1..=100).contains(&most) {
        return Err(refuse(400, "Bad Request: wrong max_connections"));
    }
    if let Some(kinds) = body["allowed_updates"].as_array() {
        let kinds = kinds
            .iter()
            .filter_map(|kind| Some(kind.as_str()?.to_owned()));
        state.allowed = Some(kinds.collect());
    }
    drop_pending(state, body);
    if !state.forgetful {
        state.webhook = Some(Webhook {
            url: url.to_owned(),
            secret,
            most,
            error: None,
        });
    }
    Ok(json!(true))
}

pub fn delete(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    state.webhook = None;
    drop_pending(state, body);
    Ok(json!(true))
}

pub fn info(state: &State) -> Value {
    let mut info = json!({
        "url": state.webhook.as_ref().map_or("", |webhook| webhook.url.as_str()),
        "has_custom_certificate": false,
        "pending_update_count": state.updates.len(),
    });
    if let Some(webhook) = &state.webhook {
        info["max_connections"] = json!(webhook.most);
        if let Some(allowed) = &state.allowed {
            info["allowed_updates"] = json!(allowed);
        }
        if let Some(error) = &webhook.error {
            info["last_error_date"] = json!(state.clock);
            info["last_error_message"] = json!(error);
        }
    }
    info
}

fn drop_pending(state: &mut State, body: &Value) {
    if body["drop_pending_updates"] == true {
        state.updates.clear();
    }
}

/// Delivers for as long as the fake runs.
pub async fn deliver(shared: Shared) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut watch = shared.watch();
    loop {
        watch.borrow_and_update();
        let Some((id, update, webhook)) = next(&shared) else {
            let _ = watch.changed().await;
            continue;
        };
        let error = post(&shared, &client, &webhook, &update).await.err();
        let failed = error.is_some();
        {
            let mut state = shared.lock();
            match (&error, state.repeats) {
                (None, 0) => state.updates.retain(|(known, _)| *known != id),
                (None, _) => state.repeats -= 1,
                (Some(_), _) => {}
            }
            if let Some(webhook) = &mut state.webhook {
                webhook.error = error;
            }
        }
        shared.changed();
        if failed {
            let until = Instant::now() + AGAIN;
            let _ = timeout_at(until, std::future::pending::<()>()).await;
        }
    }
}

fn next(shared: &Shared) -> Option<(i64, Value, Webhook)> {
    let state = shared.lock();
    let webhook = state.webhook.clone()?;
    let wanted = |update: &Value| match &state.allowed {
        Some(kinds) if !kinds.is_empty() => kinds.iter().any(|kind| update.get(kind).is_some()),
        _ => true,
    };
    let mut all = state.updates.iter();
    let (id, update) = all.find(|(_, update)| wanted(update))?;
    Some((*id, update.clone(), webhook))
}

async fn post(
    shared: &Shared,
    client: &reqwest::Client,
    webhook: &Webhook,
    update: &Value,
) -> Result<(), String> {
    let to = {
        let state = shared.lock();
        let found = state.routes.iter().find_map(|(public, to)| {
            let path = webhook.url.strip_prefix(public.as_str())?;
            Some(format!("{to}{path}"))
        });
        found.ok_or("Failed to resolve host: Name or service not known")?
    };
    let mut request = client.post(to).timeout(Duration::from_secs(5)).json(update);
    if let Some(secret) = &webhook.secret {
        request = request.header("X-Telegram-Bot-Api-Secret-Token", secret);
    }
    match request.send().await {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!(
            "Wrong response from the webhook: {}",
            answer.status()
        )),
        Err(_) => Err("Connection refused".to_owned()),
    }
}
