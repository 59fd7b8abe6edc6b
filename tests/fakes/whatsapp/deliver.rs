//! How do webhooks come? Signed over the raw bytes, several changes in one where they waited, again
//! until they are taken.

use std::fmt::Write;
use std::time::Duration;

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::time::{Instant, timeout_at};

use super::Shared;

/// How long a failed delivery waits. The real one waits longer, and longer each time.
const AGAIN: Duration = Duration::from_millis(50);

/// The signature of a body, as its header says it.
pub fn signature(app_secret: &str, body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()).unwrap();
    let tag = mac.chain_update(body).finalize().into_bytes();
    tag.iter().fold("sha256=".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Changes as one webhook, each in an entry of its own.
pub fn wrapped(changes: &[Value]) -> Value {
    let entries: Vec<Value> = changes
        .iter()
        .map(|change| json!({"id": "102290129340398", "changes": [change]}))
        .collect();
    json!({"object": "whatsapp_business_account", "entry": entries})
}

/// Everything beyond ASCII is escaped, and so is each slash, as the real one writes it.
pub fn written(body: &Value) -> Vec<u8> {
    let text = serde_json::to_string(body).unwrap();
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '/' => out.push_str("\\/"),
            c if c.is_ascii() => out.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}").unwrap();
                }
            }
        }
    }
    out.into_bytes()
}

/// Delivers for as long as the fake runs.
pub async fn deliver(shared: Shared) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut watch = shared.watch();
    loop {
        watch.borrow_and_update();
        let Some((callback, secret, changes, copies)) = next(&shared) else {
            let _ = watch.changed().await;
            continue;
        };
        let body = written(&wrapped(&changes));
        let proof = signature(&secret, &body);
        let posts = (0..copies).map(|_| {
            let request = client
                .post(&callback)
                .timeout(Duration::from_secs(5))
                .header("content-type", "application/json")
                .header("x-hub-signature-256", &proof)
                .body(body.clone());
            request.send()
        });
        let answers = futures_util::future::join_all(posts).await;
        let mut untaken = None;
        for answer in answers {
            match answer {
                Ok(answer) if answer.status().is_success() => {}
                Ok(answer) => untaken = Some(answer.status().to_string()),
                Err(error) => untaken = Some(error.to_string()),
            }
        }
        let failed = untaken.is_some();
        {
            let mut state = shared.lock();
            if !failed {
                state.changes.drain(..changes.len());
            }
            state.untaken = untaken;
        }
        shared.changed();
        if failed {
            let until = Instant::now() + AGAIN;
            let _ = timeout_at(until, std::future::pending::<()>()).await;
        }
    }
}

fn next(shared: &Shared) -> Option<(String, String, Vec<Value>, usize)> {
    let state = shared.lock();
    let callback = state.callback.clone().filter(|_| !state.held_back)?;
    if state.changes.is_empty() {
        return None;
    }
    let changes = state.changes.iter().take(100).cloned().collect();
    Some((callback, state.app_secret.clone(), changes, state.copies))
}
