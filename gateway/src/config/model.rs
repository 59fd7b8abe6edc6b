//! Which model answers, where it is reached, how long it may take and what it may cost?

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use url::Url;

/// The model, as the owner set it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Who serves it.
    pub provider: Provider,
    /// What the provider calls it.
    pub name: Name,
    /// Where it is reached, where that is not the provider's own address.
    pub endpoint: Option<Endpoint>,
    /// The file that holds the key and nothing else.
    pub key_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub key_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub key_credential: Option<String>,
    /// What it costs.
    pub price: Option<Price>,
    /// The models that are asked, in this order, when it does not answer.
    #[serde(default)]
    pub fallbacks: Vec<Fallback>,
    /// Whether its words are shown as they come.
    #[serde(default = "yes")]
    pub stream: bool,
    /// How it says what it wants done.
    #[serde(default)]
    pub calls: Calls,
    /// How much of a conversation it is sent at most, in tokens, by estimate.
    #[serde(default)]
    pub context_tokens: ContextTokens,
    /// How long an answer may be at most, in tokens.
    pub reply_tokens: Option<u32>,
    /// How long it may take.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How much may be used.
    #[serde(default)]
    pub budget: Budget,
}

/// A model that is asked when those before it do not answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// Who serves it.
    pub provider: Provider,
    /// What the provider calls it.
    pub name: Name,
    /// Where it is reached, where that is not the provider's own address.
    pub endpoint: Option<Endpoint>,
    /// The file that holds the key and nothing else.
    pub key_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub key_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub key_credential: Option<String>,
    /// What it costs.
    pub price: Option<Price>,
}

/// Who serves a model: which protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's messages.
    Anthropic,
    /// Whatever speaks OpenAI's chat completions at an endpoint of its own.
    #[serde(rename = "openai-compatible")]
    Compatible,
    /// Google's Gemini.
    Gemini,
    /// Ollama, on this machine unless an endpoint is set.
    Ollama,
    /// OpenAI's chat completions.
    OpenAi,
}

/// How a model says what it wants done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calls {
    /// As the provider's protocol has it.
    #[default]
    Native,
    /// In its text, for models that know no other way.
    Written,
}

/// What a provider calls a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(pub String);

/// Where a model is reached; ends in a slash.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Endpoint(pub String);

/// What a model costs, in money of the owner's choosing for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What it reads.
    pub input: Amount,
    /// What it writes.
    pub output: Amount,
}

/// An amount of money: a number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Amount(pub f64);

/// How much of a conversation is sent, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct ContextTokens(pub u32);

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// Until the endpoint is reached.
    pub connect: Seconds,
    /// Until the first word.
    pub first: Seconds,
    /// Between two words.
    pub between: Seconds,
    /// For the whole answer.
    pub whole: Seconds,
}

/// A time in whole seconds, from one second to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct Seconds(pub u32);

/// How much may be used; what is not set is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Times that the model is asked within one turn.
    pub calls_per_turn: Option<u32>,
    /// Tokens within one turn, read and written.
    pub tokens_per_turn: Option<u64>,
    /// Money within one turn.
    pub money_per_turn: Option<Amount>,
    /// Times that the model is asked on one day.
    pub calls_per_day: Option<u32>,
    /// Tokens on one day, read and written.
    pub tokens_per_day: Option<u64>,
    /// Money on one day.
    pub money_per_day: Option<Amount>,
}

impl Provider {
    /// As it is written in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Compatible => "openai-compatible",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
        }
    }

    /// The environment variable in which its key usually stands.
    pub fn usual_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Compatible | Self::Ollama => None,
        }
    }
}

impl Default for ContextTokens {
    fn default() -> Self {
        Self(64_000)
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Seconds(10),
            first: Seconds(120),
            between: Seconds(60),
            whole: Seconds(600),
        }
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        Self::from_secs(seconds.0.into())
    }
}

impl Model {
    /// A model that says one word and is not waited for long.
    pub(crate) fn judge(model: &Fallback) -> Self {
        Self {
            provider: model.provider,
            name: model.name.clone(),
            endpoint: model.endpoint.clone(),
            key_file: model.key_file.clone(),
            key_env: model.key_env.clone(),
            key_credential: model.key_credential.clone(),
            price: model.price,
            fallbacks: Vec::new(),
            stream: false,
            calls: Calls::Native,
            context_tokens: ContextTokens::default(),
            reply_tokens: None,
            timeouts: Timeouts {
                whole: Seconds(20),
                ..Timeouts::default()
            },
            budget: Budget::default(),
        }
    }

    /// The model itself, as one of the list that is asked in order.
    pub fn first(&self) -> Fallback {
        Fallback {
            provider: self.provider,
            name: self.name.clone(),
            endpoint: self.endpoint.clone(),
            key_file: self.key_file.clone(),
            key_env: self.key_env.clone(),
            key_credential: self.key_credential.clone(),
            price: self.price,
        }
    }

    /// All models that are asked, in order.
    pub fn all(&self) -> Vec<Fallback> {
        let mut all = vec![self.first()];
        all.extend(self.fallbacks.iter().cloned());
        all
    }

    /// What the owner should know about settings that are right but daring.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self
            .all()
            .iter()
            .filter_map(|model| model.endpoint.as_ref())
            .filter(|endpoint| endpoint.is_open())
            .map(|endpoint| {
                format!(
                    "the model at {} is reached without TLS, so whoever is on the way reads key and messages; use https",
                    endpoint.0
                )
            })
            .collect();
        let counts_money =
            self.budget.money_per_day.is_some() || self.budget.money_per_turn.is_some();
        for model in self.all().iter().filter(|model| model.price.is_none()) {
            if counts_money && model.provider != Provider::Ollama {
                warnings.push(format!(
                    "money is bounded, but {} has no price, so it counts as free; set price to what a million tokens cost",
                    model.name.0
                ));
            }
        }
        warnings
    }
}

impl Endpoint {
    /// Whether others on the way can read along.
    fn is_open(&self) -> bool {
        let Ok(url) = Url::parse(&self.0) else {
            return true;
        };
        let is_here = match url.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(at)) => at.is_loopback(),
            Some(url::Host::Ipv6(at)) => at.is_loopback(),
            None => false,
        };
        url.scheme() != "https" && !is_here
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        // The name becomes part of an address with some providers: nothing in it may lead elsewhere.
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.:/@+".contains(c);
        let leads_away = name.contains("::") || name.contains("..") || name.contains("//");
        if name.is_empty() || name.len() > 128 || leads_away || !name.chars().all(fits) {
            return Err(format!(
                "{name:?} is not a model's name; write it as the provider does, like gpt-5-mini"
            ));
        }
        Ok(Self(name))
    }
}

impl TryFrom<String> for Endpoint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let plain = Url::parse(&text).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        match plain {
            Some(url) => Ok(Self(format!("{}/", url.as_str().trim_end_matches('/')))),
            None => Err(
                "this is not a plain address; write it like https://host/v1, without a key in it"
                    .to_owned(),
            ),
        }
    }
}

impl TryFrom<f64> for Amount {
    type Error = String;

    fn try_from(amount: f64) -> Result<Self, String> {
        if amount.is_finite() && (0.0..=1e6).contains(&amount) {
            Ok(Self(amount))
        } else {
            Err("give an amount from 0 to 1000000".to_owned())
        }
    }
}

impl TryFrom<u32> for ContextTokens {
    type Error = String;

    fn try_from(tokens: u32) -> Result<Self, String> {
        within(tokens, 1_000, 10_000_000, "a number of tokens").map(Self)
    }
}

impl TryFrom<u32> for Seconds {
    type Error = String;

    fn try_from(seconds: u32) -> Result<Self, String> {
        within(seconds, 1, 86_400, "a time in seconds,").map(Self)
    }
}

fn within(number: u32, least: u32, most: u32, what: &str) -> Result<u32, String> {
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(format!("give {what} from {least} to {most}"))
    }
}

fn yes() -> bool {
    true
}
