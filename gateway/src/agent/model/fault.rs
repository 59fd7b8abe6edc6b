//! Why did a model not answer, and what can be done about it?

use std::time::Duration;

use genai::Error as Genai;
use genai::webc::Error as Web;
use reqwest13::StatusCode;
use reqwest13::header::HeaderMap;
use serde_json::Value;

/// What is in the way of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It asks to wait, for so long where it says how long.
    Busy(Option<Duration>),
    /// The connection broke, or the provider has trouble of its own.
    Broken,
    /// It will not speak of this.
    Content,
    /// There is no money left there.
    Credit,
    /// It refuses the key.
    Key,
    /// Nothing comes.
    Late,
    /// It refuses what it was sent, and says why.
    Refused(String),
    /// The answer has no end.
    TooLarge,
    /// The conversation is longer than it can read.
    TooLong,
    /// It does not know the model.
    UnknownModel,
    /// It cannot be reached.
    Unreachable,
}

impl Fault {
    /// Whether the same question may be answered a moment later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Broken | Self::Busy(_) | Self::Late | Self::Unreachable => true,
            Self::Content
            | Self::Credit
            | Self::Key
            | Self::Refused(_)
            | Self::TooLarge
            | Self::TooLong
            | Self::UnknownModel => false,
        }
    }

    /// Whether another model may answer instead.
    pub(super) fn is_the_models_own(&self) -> bool {
        match self {
            Self::Broken
            | Self::Busy(_)
            | Self::Credit
            | Self::Key
            | Self::Late
            | Self::Refused(_)
            | Self::TooLong
            | Self::UnknownModel
            | Self::Unreachable => true,
            Self::Content | Self::TooLarge => false,
        }
    }

    /// One word for the log.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Busy(_) => "busy",
            Self::Content => "content",
            Self::Credit => "credit",
            Self::Key => "key",
            Self::Late => "late",
            Self::Refused(_) => "refused",
            Self::TooLarge => "too large",
            Self::TooLong => "too long",
            Self::UnknownModel => "unknown model",
            Self::Unreachable => "unreachable",
        }
    }

    /// One sentence for the person, without its full stop.
    pub(super) fn told(&self, model: &str) -> String {
        match self {
            Self::Broken => format!(
                "the connection to {model} broke before its answer was whole; nothing is lost, write again to try again"
            ),
            Self::Busy(Some(after)) => format!(
                "{model} asks us to slow down; nothing is lost, write again in {}",
                span(*after)
            ),
            Self::Busy(None) => {
                format!("{model} asks us to slow down; nothing is lost, write again in a minute")
            }
            Self::Content => format!(
                "{model} refuses to answer this by its provider's rules; put it otherwise, or begin anew with /new"
            ),
            Self::Credit => format!(
                "the account with the provider of {model} has no credit left; the owner has to add some, or choose another model in [model]"
            ),
            Self::Key => format!(
                "{model} refuses the key; the owner has to put a valid one where [model] points to, and restart Postern"
            ),
            Self::Late => {
                format!("{model} did not answer in time; nothing is lost, write again to try again")
            }
            Self::Refused(why) => format!("{model} refuses the question: {why}"),
            Self::TooLarge => format!(
                "the answer of {model} had no end, so I stopped reading; write again to try again"
            ),
            Self::TooLong => format!(
                "this conversation is longer than {model} can read; begin anew with /new, or let the owner lower context_tokens in [model]"
            ),
            Self::UnknownModel => format!(
                "the provider does not know the model {model}; the owner has to correct name in [model], and restart Postern"
            ),
            Self::Unreachable => format!(
                "{model} cannot be reached; nothing is lost, write again later, and if it stays so the owner has to check endpoint in [model]"
            ),
        }
    }

    /// What an error of the client library means. `key` is left out of whatever is told.
    pub(super) fn of(error: &Genai, key: &str) -> Self {
        match error {
            Genai::HttpError {
                status,
                body,
                headers,
                ..
            } => Self::answered(*status, body, headers, key),
            Genai::WebStream { error, .. } => match error.downcast_ref::<Genai>() {
                Some(inner) => Self::of(inner, key),
                None => Self::of_connection(error.downcast_ref::<reqwest13::Error>()),
            },
            Genai::WebModelCall { webc_error, .. } | Genai::WebAdapterCall { webc_error, .. } => {
                match webc_error {
                    Web::ResponseFailedStatus {
                        status,
                        body,
                        headers,
                    } => Self::answered(*status, body, headers, key),
                    Web::Reqwest(error) => Self::of_connection(Some(error)),
                    Web::ResponseFailedNotJson { .. }
                    | Web::ResponseFailedInvalidJson { .. }
                    | Web::JsonValueExt(_) => Self::Broken,
                }
            }
            Genai::ChatResponse { body, .. } => Self::in_stream(body, key),
            _ => Self::Broken,
        }
    }

    fn of_connection(error: Option<&reqwest13::Error>) -> Self {
        match error {
            Some(error) if error.is_connect() => Self::Unreachable,
            Some(error) if error.is_timeout() => Self::Late,
            Some(_) | None => Self::Broken,
        }
    }

    /// An error that came in place of the next word.
    fn in_stream(body: &Value, key: &str) -> Self {
        let kind = body.to_string();
        let code = ["code", "status"]
            .iter()
            .find_map(|name| body.get(*name)?.as_u64())
            .and_then(|code| u16::try_from(code).ok())
            .and_then(|code| StatusCode::from_u16(code).ok());
        let code = code.unwrap_or_else(|| {
            if kind.contains("overloaded") || kind.contains("server_error") {
                StatusCode::SERVICE_UNAVAILABLE
            } else if kind.contains("rate_limit") {
                StatusCode::TOO_MANY_REQUESTS
            } else {
                StatusCode::BAD_REQUEST
            }
        });
        Self::answered(code, &kind, &HeaderMap::new(), key)
    }

    fn answered(status: StatusCode, body: &str, headers: &HeaderMap, key: &str) -> Self {
        let low: String = body.chars().take(READ).collect::<String>().to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| low.contains(word));
        let no_credit = status == StatusCode::PAYMENT_REQUIRED || says(&NO_CREDIT);
        match status.as_u16() {
            _ if no_credit => Self::Credit,
            401 | 403 => Self::Key,
            404 => Self::UnknownModel,
            413 => Self::TooLong,
            429 => Self::Busy(after(headers)),
            408 | 409 | 500.. => Self::Broken,
            _ if says(&["api key not valid", "api_key_invalid", "invalid api key"]) => Self::Key,
            _ if says(&TOO_LONG) => Self::TooLong,
            _ if says(&[
                "content_filter",
                "content_policy",
                "content management policy",
            ]) =>
            {
                Self::Content
            }
            _ if low.contains("model") && says(&["not found", "not exist", "not_found"]) => {
                Self::UnknownModel
            }
            _ => Self::Refused(reason(body, key)),
        }
    }
}

/// How much of an answer that refuses is looked at, in characters.
const READ: usize = 4000;
/// The longest reason of a provider that is told, in characters.
const REASON: usize = 160;

const NO_CREDIT: [&str; 4] = [
    "insufficient_quota",
    "credit balance",
    "billing_hard_limit",
    "insufficient credit",
];
const TOO_LONG: [&str; 6] = [
    "context_length_exceeded",
    "maximum context length",
    "prompt is too long",
    "exceeds the maximum number of tokens",
    "context window",
    "too many tokens",
];

/// How long the provider asks us to wait.
fn after(headers: &HeaderMap) -> Option<Duration> {
    let read = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = match read("retry-after-ms") {
        Some(millis) => Some(millis / 1000.0),
        None => read("retry-after"),
    };
    seconds
        .filter(|seconds| seconds.is_finite() && (0.0..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
}

/// What the provider says, as it may be shown: short, one line, without the key and without
/// addresses.
fn reason(body: &str, key: &str) -> String {
    let said = serde_json::from_str::<Value>(body).ok().and_then(|json| {
        let at = ["/error/message", "/0/error/message", "/message", "/error"];
        let found = at.iter().find_map(|at| json.pointer(at)?.as_str());
        found.map(ToOwned::to_owned)
    });
    let said = said.unwrap_or_else(|| "it does not say why".to_owned());
    let said = if key.is_empty() {
        said
    } else {
        said.replace(key, "(key)")
    };
    let words = said.split_whitespace().filter(|word| !word.contains("://"));
    let line: String = words
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(REASON)
        .collect();
    line.trim_end_matches('.').to_owned()
}

/// A time to wait, in words.
pub(super) fn span(time: Duration) -> String {
    match time.as_secs_f64().ceil() as u64 {
        0 | 1 => "a second".to_owned(),
        seconds @ 2..120 => format!("{seconds} seconds"),
        seconds @ 120..7200 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{} hours", seconds.div_ceil(3600)),
    }
}
