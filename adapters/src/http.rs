//! What came of one HTTP call? One outcome, one [`AdapterError`]; no text in it holds an address.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde::Serialize;
use url::Url;

use crate::{AdapterError, ConfigError};

/// Whether a call may be made twice without anybody noticing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Asking again changes nothing: polls, edits, acknowledgements.
    Harmless,
    /// Asking again could show a message twice.
    Visible,
}

/// What the other side answered, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body, at most [`LARGEST_ANSWER`] bytes.
    pub(crate) body: Vec<u8>,
    /// What stood before it.
    pub(crate) headers: HeaderMap,
}

impl Answer {
    /// How long the other side asks us to wait, in the whole or broken seconds of `Retry-After`
    /// (RFC 9110); at most a day.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.seconds("retry-after")
    }

    /// A header that holds seconds, whole or broken; at most a day.
    pub(crate) fn seconds(&self, header: &str) -> Option<Duration> {
        let text = self.headers.get(header)?.to_str().ok()?;
        let seconds: f64 = text.trim().parse().ok()?;
        Duration::try_from_secs_f64(seconds.min(86_400.0)).ok()
    }
}

/// The client of all adapters: no proxy, no redirects, bounded waiting for a connection.
pub(crate) fn client() -> Result<reqwest::Client, ConfigError> {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .pool_idle_timeout(Duration::from_secs(50))
        .tcp_nodelay(true)
        .build()
        .map_err(|_| ConfigError("the TLS client cannot be set up on this machine".to_owned()))
}

/// Where a platform answers, without a slash at its end: as set, else where it always does.
///
/// # Errors
/// When what is set is not a plain http or https address.
pub(crate) fn base(set: Option<&Url>, usual: &str) -> Result<String, ConfigError> {
    let Some(url) = set else {
        return Ok(usual.to_owned());
    };
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !plain {
        return Err(ConfigError(format!(
            "api is not a plain address; write it like {usual}"
        )));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Posts JSON and reads the whole answer.
///
/// # Errors
/// `Retry` when nothing was sent, or when a repeat is harmless; otherwise `Ambiguous`.
pub(crate) async fn post(
    client: &reqwest::Client,
    url: &str,
    body: &impl Serialize,
    patience: Duration,
    repeat: Repeat,
) -> Result<Answer, AdapterError> {
    send(client.post(url).json(body), patience, repeat).await
}

/// Sends a request that its caller made and reads the whole answer.
///
/// # Errors
/// As [`post`].
pub(crate) async fn send(
    request: reqwest::RequestBuilder,
    patience: Duration,
    repeat: Repeat,
) -> Result<Answer, AdapterError> {
    answer(request.timeout(patience).send().await, repeat).await
}

/// Posts a form with files and reads the whole answer.
///
/// # Errors
/// As [`post`]; a form is never repeated harmlessly.
pub(crate) async fn post_form(
    client: &reqwest::Client,
    url: &str,
    form: reqwest::multipart::Form,
    patience: Duration,
) -> Result<Answer, AdapterError> {
    send(client.post(url).multipart(form), patience, Repeat::Visible).await
}

async fn answer(
    sent: Result<reqwest::Response, reqwest::Error>,
    repeat: Repeat,
) -> Result<Answer, AdapterError> {
    let mut response = match sent {
        Ok(response) => response,
        Err(error) if error.is_connect() || error.is_builder() => {
            return Err(later("no connection to it"));
        }
        Err(error) if error.is_timeout() => return Err(lost(repeat, "it did not answer in time")),
        Err(_) => return Err(lost(repeat, "the connection broke")),
    };
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len().saturating_add(chunk.len()) <= LARGEST_ANSWER => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => return Err(lost(repeat, "its answer is too large")),
            Ok(None) => {
                return Ok(Answer {
                    status,
                    body,
                    headers,
                });
            }
            Err(_) => return Err(lost(repeat, "the connection broke")),
        }
    }
}

/// Reads what is at an address, at most `most` bytes, counted while they come.
///
/// # Errors
/// `Refused` when it is larger; `Retry` when it could not be read; as [`refusal`] for a status that
/// is no success, and a redirect is none.
pub(crate) async fn get(
    client: &reqwest::Client,
    url: &str,
    patience: Duration,
    most: u64,
) -> Result<Vec<u8>, AdapterError> {
    fetch(client.get(url), patience, most).await
}

/// Reads what a request that its caller made is answered.
///
/// # Errors
/// As [`get`].
pub(crate) async fn fetch(
    request: reqwest::RequestBuilder,
    patience: Duration,
    most: u64,
) -> Result<Vec<u8>, AdapterError> {
    let asked = request.timeout(patience).send().await;
    let mut response = asked.map_err(|_| later("no connection to it"))?;
    let status = response.status().as_u16();
    if !response.status().is_success() {
        let why = format!("status {status}");
        return Err(refusal(status, None, why, Repeat::Harmless));
    }
    if response.content_length() > Some(most) {
        return Err(too_large(most));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|_| later("the connection broke"))?
    {
        let size = body.len().saturating_add(chunk.len());
        if u64::try_from(size).is_ok_and(|size| size > most) {
            return Err(too_large(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The error of a file that is larger than is taken.
pub(crate) fn too_large(most: u64) -> AdapterError {
    AdapterError::Refused(format!("the file is larger than {most} bytes"))
}

/// The error of a call that was refused with this status and, where the platform gives them, a
/// time to wait and a description.
pub(crate) fn refusal(
    status: u16,
    after: Option<Duration>,
    description: String,
    repeat: Repeat,
) -> AdapterError {
    match status {
        401 => AdapterError::Credentials(description),
        409 => AdapterError::Conflict,
        429 => AdapterError::Retry {
            after,
            why: "it asks us to slow down".to_owned(),
        },
        500.. => lost(repeat, "it has trouble of its own"),
        _ => AdapterError::Refused(description),
    }
}

/// The error of a call that was sent and whose answer is not known.
pub(crate) fn lost(repeat: Repeat, why: &str) -> AdapterError {
    match repeat {
        Repeat::Harmless => later(why),
        Repeat::Visible => AdapterError::Ambiguous,
    }
}

fn later(why: &str) -> AdapterError {
    AdapterError::Retry {
        after: None,
        why: why.to_owned(),
    }
}

/// The largest answer read, in bytes. A full batch of updates stays well below it.
const LARGEST_ANSWER: usize = 16 << 20;
