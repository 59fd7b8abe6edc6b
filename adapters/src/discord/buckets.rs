//! When may a route be called again? As the platform says in its answers: a route that has used up
//! its share waits, and all of them do when it says so.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Method;

use crate::http::Answer;

/// What the platform said of our routes (platform reference, "Rate Limits").
#[derive(Debug, Default)]
pub(super) struct Buckets(Mutex<BTreeMap<String, Instant>>);

/// How long to wait before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Longer than one call should take; the whole seconds.
    Long(Duration),
    /// Not at all.
    No,
    /// So short that it is waited for.
    Short(Duration),
}

impl Buckets {
    /// How long to wait before calling a route.
    pub(super) fn wait(&self, method: &Method, path: &str) -> Wait {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let until = held.get(&route(method, path)).max(held.get(EVERYTHING));
        match until.map(|until| until.saturating_duration_since(now)) {
            None | Some(Duration::ZERO) => Wait::No,
            Some(left) if left <= SHORT => Wait::Short(left),
            Some(left) => Wait::Long(Duration::from_secs(left.as_secs() + 1)),
        }
    }

    /// Notes what an answer says of its route.
    pub(super) fn note(&self, method: &Method, path: &str, answer: &Answer) {
        let header = |name: &str| {
            answer
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let used_up = header("x-ratelimit-remaining") == Some("0");
        let global =
            header("x-ratelimit-global").is_some() || header("x-ratelimit-scope") == Some("global");
        let pause = match answer.status {
            429 => answer
                .retry_after()
                .max(answer.seconds("x-ratelimit-reset-after")),
            _ if used_up => answer.seconds("x-ratelimit-reset-after"),
            _ => None,
        };
        let Some(until) = pause.and_then(|pause| Instant::now().checked_add(pause)) else {
            return;
        };
        let key = match global && answer.status == 429 {
            true => EVERYTHING.to_owned(),
            false => route(method, path),
        };
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        held.retain(|_, until| *until > now);
        held.insert(key, until);
    }
}

/// What shares one limit: a method and a path, of which only the first number tells routes apart
/// (the channel, the webhook), the rest does not.
fn route(method: &Method, path: &str) -> String {
    let mut key = method.as_str().to_owned();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut named = false;
    for part in path.split('?').next().unwrap_or("").split('/') {
        key.push('/');
        if named && is_number(part) {
            key.push('#');
        } else {
            key.push_str(part);
        }
        named |= is_number(part);
    }
    key
}

/// The name of the limit over all routes.
const EVERYTHING: &str = "*";
/// The longest wait that a call takes upon itself.
const SHORT: Duration = Duration::from_secs(3);
