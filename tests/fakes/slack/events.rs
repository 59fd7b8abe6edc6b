//! Slack comes to a door: signed, one at a time, again until it is taken.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::time::{Instant, timeout_at};

use super::Shared;

/// How long a failed delivery waits. The real one waits longer, and longer each time.
const AGAIN: Duration = Duration::from_millis(50);

/// The signature of a body, as Slack writes it into `X-Slack-Signature`.
pub fn signed(secret: &str, time: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{time}:").as_bytes());
    mac.update(body);
    let tag = mac.finalize().into_bytes();
    let digits: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v0={digits}")
}

/// Delivers for as long as the fake runs, wherever there is a door.
pub async fn deliver(shared: Shared) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut watch = shared.watch();
    loop {
        watch.borrow_and_update();
        let next = {
            let mut state = shared.lock();
            let door = state.door.clone();
            let first = state.envelopes.front_mut();
            door.zip(first.map(|first| {
                first.tries += 1;
                first.clone()
            }))
        };
        let Some(((door, secret), envelope)) = next else {
            let _ = watch.changed().await;
            continue;
        };
        let (kind, body) = match envelope.kind {
            "events_api" => ("application/json", envelope.payload.to_string()),
            "interactive" => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                form.append_pair("payload", &envelope.payload.to_string());
                ("application/x-www-form-urlencoded", form.finish())
            }
            _ => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                for (key, value) in envelope.payload.as_object().unwrap() {
                    form.append_pair(key, value.as_str().unwrap_or(""));
                }
                ("application/x-www-form-urlencoded", form.finish())
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let time = i64::try_from(now.as_secs()).unwrap();
        let mut request = client
            .post(door)
            .timeout(Duration::from_secs(3))
            .header("content-type", kind)
            .header("x-slack-request-timestamp", time.to_string())
            .header("x-slack-signature", signed(&secret, time, body.as_bytes()));
        if envelope.tries > 1 {
            request = request
                .header("x-slack-retry-num", (envelope.tries - 1).to_string())
                .header("x-slack-retry-reason", "http_timeout");
        }
        let answer = request.body(body).send().await;
        let taken = match answer {
            Ok(answer) => {
                let status = answer.status();
                let text = answer.text().await.unwrap_or_default();
                shared.lock().answers.push((status.as_u16(), text));
                status.is_success()
            }
            Err(_) => false,
        };
        if taken {
            let mut state = shared.lock();
            state.envelopes.retain(|known| known.id != envelope.id);
            state.done += 1;
            drop(state);
            shared.changed();
        } else {
            let until = Instant::now() + AGAIN;
            let _ = timeout_at(until, std::future::pending::<()>()).await;
        }
    }
}
