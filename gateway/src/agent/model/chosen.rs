//! Which model did the owner choose? The settings, or else the usual key variables.

use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use bot_policy::secret::{SECRET_BYTES, Secret};

use super::chain::Chain;
use super::remote::{Remote, http};
use super::{Model, Practice};
use crate::config::model::{self as settings, Fallback, Name, Provider};

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
    let (text, source) = match (&model.key_file, &model.key_env) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "key_file and key_env are both set; keep one of them".to_owned(),
            ));
        }
        (Some(path), None) => {
            let source = format!("key_file {}", path.display());
            (
                read(path).map_err(|why| wrong(format!("{source} {why}")))?,
                source,
            )
        }
        (None, named) => match named.as_deref().or_else(|| model.provider.usual_variable()) {
            None => return Ok(Secret::new(String::new())),
            Some(env) => {
                let source = format!("key_env {env}");
                let set = variable(env).filter(|key| !key.trim().is_empty());
                let text = set.ok_or_else(|| {
                    wrong(format!(
                        "{source} is not set; export it with the provider's key, or set key_file"
                    ))
                })?;
                (text, source)
            }
        },
    };
    let key = text.trim();
    let fits = |c: char| c.is_ascii_graphic();
    if key.len() < SECRET_BYTES || !key.chars().all(fits) {
        return Err(wrong(format!(
            "{source} does not hold a key; put the provider's key into it, and nothing else"
        )));
    }
    Ok(Secret::new(key.to_owned()))
}

/// Reads a file that only its owner can read. One that is another's, as a container engine mounts
/// them, is left to whoever made it so.
fn read(path: &Path) -> Result<String, String> {
    let why = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => {
            "cannot be read (there is no such file); write the provider's key into it".to_owned()
        }
        other => format!("cannot be read ({other}); write the provider's key into it"),
    };
    let file = std::fs::File::open(path).map_err(why)?;
    let about = file.metadata().map_err(why)?;
    let ours = about.uid() == rustix::process::geteuid().as_raw();
    if ours && about.is_file() && about.mode() & 0o077 != 0 {
        return Err(format!(
            "can be read by others; make it yours alone with: chmod 600 {}",
            crate::folder::quoted(path)
        ));
    }
    let mut text = String::new();
    file.take(KEY_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(why)?;
    Ok(text)
}

/// How much of a key file is read, in bytes.
const KEY_FILE_BYTES: u64 = 16 * 1024;
