//! Which model did the owner choose? The settings, or else the usual key variables.

use std::sync::Arc;

use bot_policy::secret::{SECRET_BYTES, Secret};

use super::chain::Chain;
use super::remote::{Remote, http};
use super::{Model, Practice};
use crate::config::model::{self as settings, Fallback, Name, Provider};
use crate::config::{SecretError, SecretSource};

/// The model that answers, and what must not get out of it.
pub struct Chosen {
    /// The model.
    pub model: Arc<dyn Model>,
    /// As the terminal shows it; none for the practice model.
    pub shown: Option<String>,
    /// The keys.
    pub keys: Vec<Secret<String>>,
    /// What it may use up; none for the practice model, which costs nothing.
    pub budget: Option<settings::Budget>,
}

/// The model cannot be set up as configured. The text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("model: {0}")]
pub struct ModelSetupError(pub String);

/// Sets up the model. `variable` looks into the environment.
///
/// # Errors
/// When a key cannot be read, or none of several was chosen.
pub fn chosen(
    set: Option<&settings::Model>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Chosen, ModelSetupError> {
    let found;
    let (set, whence) = match set {
        Some(set) => (set, String::new()),
        None => match usual(&variable)? {
            None => {
                return Ok(Chosen {
                    model: Arc::new(Practice),
                    shown: None,
                    keys: Vec::new(),
                    budget: None,
                });
            }
            Some((model, variable)) => {
                found = model;
                (&found, format!(", by {variable}"))
            }
        },
    };
    let http = http(set.timeouts)?;
    let mut keys = Vec::new();
    let mut models = Vec::new();
    let mut shown = Vec::new();
    for model in set.all() {
        let key = key(&model, &variable)?;
        shown.push(format!("{} ({})", model.name.0, model.provider.word()));
        models.push(Remote::new(
            &model,
            key.clone(),
            set.timeouts,
            set.stream,
            set.reply_tokens,
            http.clone(),
        )?);
        if !key.reveal().is_empty() {
            keys.push(key);
        }
    }
    let name = format!("{}{whence}", shown.join(", else "));
    let chain = Chain::new(name.clone(), models, set.calls, set.context_tokens.0);
    Ok(Chosen {
        model: Arc::new(chain),
        shown: Some(name),
        keys,
        budget: Some(set.budget),
    })
}

/// Models that answer well enough where only a key is there.
const USUAL: [(Provider, &str); 3] = [
    (Provider::Anthropic, "claude-sonnet-4-5"),
    (Provider::OpenAi, "gpt-5-mini"),
    (Provider::Gemini, "gemini-2.5-flash"),
];

fn usual(
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Option<(settings::Model, &'static str)>, ModelSetupError> {
    let found: Vec<(Provider, &str, &'static str)> = USUAL
        .iter()
        .filter_map(|(provider, name)| Some((*provider, *name, provider.usual_variable()?)))
        .filter(|(_, _, env)| variable(env).is_some_and(|key| !key.trim().is_empty()))
        .collect();
    match found.as_slice() {
        [] => Ok(None),
        [(provider, name, env)] => {
            let text = format!("provider = \"{}\"\nname = \"{name}\"", provider.word());
            let model = toml::from_str(&text)
                .map_err(|_| ModelSetupError(format!("{name} cannot be set up")))?;
            Ok(Some((model, env)))
        }
        several => {
            let all: Vec<&str> = several.iter().map(|(_, _, env)| *env).collect();
            Err(ModelSetupError(format!(
                "{} are all set; say in [model] of postern.toml which one answers, with provider and name",
                all.join(" and ")
            )))
        }
    }
}

/// Reads the key of a model; empty where it needs none.
fn key(
    model: &Fallback,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Secret<String>, ModelSetupError> {
    let Name(name) = &model.name;
    let wrong = |why: String| ModelSetupError(format!("{name}: {why}"));
    let source = SecretSource::one_of(
        "key",
        model.key_file.as_deref(),
        model.key_env.as_deref(),
        model.key_credential.as_deref(),
    );
    let usual = || {
        Some(SecretSource::usual_variable(
            "key",
            model.provider.usual_variable()?,
        ))
    };
    let source = source.map_err(|SecretError(why)| wrong(why))?;
    let Some(source) = source.or_else(usual) else {
        return Ok(Secret::new(String::new()));
    };
    let key = source.read("the provider's key", variable);
    let key = key.map_err(|SecretError(why)| wrong(why))?;
    let fits = |c: char| c.is_ascii_graphic();
    if key.reveal().len() < SECRET_BYTES || !key.reveal().chars().all(fits) {
        return Err(wrong(format!(
            "{source} does not hold a key; put the provider's key into it, and nothing else"
        )));
    }
    Ok(key)
}
