//! What does one model of a provider answer, within its time and size?

use std::collections::BTreeMap;
use std::time::Duration;

use bot_policy::call::ARGUMENT_BYTES;
use bot_policy::secret::Secret;
use futures_util::{Stream, StreamExt};
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatOptions, ChatRequest, ChatStreamEvent, ReasoningEffort, StopReason, ToolCall, Usage,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::REPLY_CHARACTERS;
use super::chosen::ModelSetupError;
use super::fault::Fault;
use crate::config::model::{Fallback, Price, Provider, Timeouts};

/// One model at one provider.
pub(super) struct Remote {
    /// As it is called in what a person reads.
    pub(super) name: String,
    /// What it costs.
    pub(super) price: Option<Price>,
    target: ServiceTarget,
    key: Secret<String>,
    client: Client,
    options: ChatOptions,
    /// Whether a stream that ends without a reason was cut short.
    reason_at_end: ReasonAtEnd,
    timeouts: Timeouts,
    stream: bool,
}

/// Whether a protocol says at the end of a stream why it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReasonAtEnd {
    /// It has another sign of its end, and the library looks for that.
    MayLack,
    /// Always; a stream without it was cut short.
    Stands,
}

/// What a model answered.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its words.
    pub(super) text: String,
    /// Its calls: the function's name, and the arguments as it wrote them.
    pub(super) calls: Vec<(String, String)>,
    /// Tokens read and written, where the provider counts them.
    pub(super) usage: Option<(u64, u64)>,
}

/// A model did not answer, and what was shown of its answer until then.
pub(super) struct Failed {
    /// Why.
    pub(super) fault: Fault,
    /// How many bytes of text were shown; with any, the question is not asked again.
    pub(super) shown: usize,
}

impl Remote {
    /// Sets up a model. Nothing is sent yet.
    ///
    /// # Errors
    /// When the client cannot be set up.
    pub(super) fn new(
        model: &Fallback,
        key: Secret<String>,
        timeouts: Timeouts,
        stream: bool,
        reply_tokens: Option<u32>,
        http: reqwest13::Client,
    ) -> Result<Self, ModelSetupError> {
        let client = Client::builder()
            .with_reqwest(http)
            .build()
            .map_err(|_| ModelSetupError(NO_TLS.to_owned()))?;
        let (kind, usual) = match model.provider {
            Provider::Anthropic => (AdapterKind::Anthropic, "https://api.anthropic.com/v1/"),
            Provider::Gemini => (
                AdapterKind::Gemini,
                "https://generativelanguage.googleapis.com/v1beta/",
            ),
            Provider::Ollama if key.reveal().is_empty() => {
                (AdapterKind::Ollama, "http://localhost:11434/")
            }
            Provider::Ollama => (AdapterKind::OllamaCloud, "https://ollama.com/"),
            Provider::Compatible | Provider::OpenAi => {
                (AdapterKind::OpenAI, "https://api.openai.com/v1/")
            }
        };
        let endpoint = match &model.endpoint {
            Some(endpoint) => Endpoint::from_owned(endpoint.0.as_str()),
            None => Endpoint::from_static(usual),
        };
        // The library wants a key even where an endpoint asks for none.
        let auth = match key.reveal().as_str() {
            "" => AuthData::from_single("none"),
            key => AuthData::from_single(key),
        };
        let mut options = ChatOptions::default()
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_usage(true);
        if let Some(tokens) = reply_tokens {
            options = options.with_max_tokens(tokens);
        }
        if kind == AdapterKind::OpenAI {
            // Else the library reads an effort from the end of a name such as `mine-high`, and
            // asks for the model `mine`. A budget has no word in this protocol, so none is sent.
            options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
        }
        Ok(Self {
            name: model.name.0.clone(),
            price: model.price,
            target: ServiceTarget {
                endpoint,
                auth,
                model: ModelIden::new(kind, model.name.0.as_str()),
            },
            key,
            client,
            options,
            reason_at_end: match model.provider {
                Provider::Gemini | Provider::Ollama => ReasonAtEnd::Stands,
                Provider::Anthropic | Provider::Compatible | Provider::OpenAi => {
                    ReasonAtEnd::MayLack
                }
            },
            timeouts,
            stream,
        })
    }

    /// Asks once. What it says is handed to `shown` as it comes.
    pub(super) async fn ask(
        &self,
        request: ChatRequest,
        shown: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Answer, Failed> {
        let end = Instant::now() + Duration::from(self.timeouts.whole);
        if !self.stream {
            let asked = self
                .client
                .exec_chat(self.target.clone(), request, Some(&self.options));
            let fault = |fault| Failed { fault, shown: 0 };
            let response = timeout_at(end, asked)
                .await
                .map_err(|_| fault(Fault::Late))?
                .map_err(|error| fault(Fault::of(&error, self.key.reveal())))?;
            let mut answer = Answer {
                usage: counted(&response.usage),
                ..Answer::default()
            };
            answer.text = response.content.joined_texts().unwrap_or_default();
            let calls = response.content.tool_calls().into_iter();
            answer.calls = calls
                .map(|call| (call.fn_name.clone(), written(&call.fn_arguments)))
                .collect();
            return self
                .ended(answer, response.stop_reason.as_ref())
                .map_err(fault);
        }
        let mut heard = Heard::default();
        let answer = match self
            .client
            .exec_chat_stream(self.target.clone(), request, Some(&self.options))
            .await
        {
            Ok(response) => self.hear(response.stream, end, &mut heard, shown).await,
            Err(error) => Err(Fault::of(&error, self.key.reveal())),
        };
        answer.map_err(|fault| Failed {
            fault,
            shown: heard.text.len(),
        })
    }

    async fn hear(
        &self,
        mut stream: impl Stream<Item = genai::Result<ChatStreamEvent>> + Unpin,
        end: Instant,
        heard: &mut Heard,
        shown: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Answer, Fault> {
        let mut until = Instant::now() + Duration::from(self.timeouts.first);
        loop {
            let event = timeout_at(until.min(end), stream.next())
                .await
                .map_err(|_| Fault::Late)?
                .ok_or(Fault::Broken)?
                .map_err(|error| Fault::of(&error, self.key.reveal()))?;
            match event {
                ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => continue,
                ChatStreamEvent::Chunk(chunk) => {
                    heard.text.push_str(&chunk.content);
                    shown(&chunk.content);
                    // The rest would be cut anyway.
                    if heard.text.len() > 4 * REPLY_CHARACTERS {
                        return Err(Fault::TooLarge);
                    }
                }
                ChatStreamEvent::ReasoningChunk(chunk)
                | ChatStreamEvent::ThoughtSignatureChunk(chunk) => {
                    heard.thought += chunk.content.len();
                    if heard.thought > LARGEST_THOUGHT {
                        return Err(Fault::TooLarge);
                    }
                }
                ChatStreamEvent::ToolCallChunk(chunk) => heard.call(&chunk.tool_call)?,
                ChatStreamEvent::End(ended) => {
                    let reason = ended.captured_stop_reason;
                    if reason.is_none() && self.reason_at_end == ReasonAtEnd::Stands {
                        return Err(Fault::Broken);
                    }
                    let calls = ended.captured_content.map(|all| all.into_tool_calls());
                    let answer = Answer {
                        text: std::mem::take(&mut heard.text),
                        calls: heard.calls(calls.unwrap_or_default()),
                        usage: ended.captured_usage.as_ref().and_then(counted),
                    };
                    return self.ended(answer, reason.as_ref());
                }
            }
            until = Instant::now() + Duration::from(self.timeouts.between);
        }
    }

    /// The answer, as the reason of its end makes it.
    fn ended(&self, mut answer: Answer, reason: Option<&StopReason>) -> Result<Answer, Fault> {
        match reason {
            Some(StopReason::ContentFilter(_)) if answer.calls.is_empty() => Err(Fault::Content),
            Some(StopReason::MaxTokens(_)) => {
                let note = "\n\n(The answer ends here: it reached the longest that the model gives. Ask for the rest.)";
                if !answer.text.is_empty() {
                    answer.text.push_str(note);
                }
                Ok(answer)
            }
            Some(_) | None => Ok(answer),
        }
    }
}

/// How much a model may think aloud, in bytes.
const LARGEST_THOUGHT: usize = 4 << 20;

/// What was heard of an answer so far.
#[derive(Default)]
struct Heard {
    text: String,
    thought: usize,
    /// The arguments of each call, as the model wrote them.
    raw: BTreeMap<String, String>,
    in_calls: usize,
}

impl Heard {
    fn call(&mut self, call: &ToolCall) -> Result<(), Fault> {
        self.in_calls += 1;
        let length = match &call.fn_arguments {
            Value::String(text) => {
                self.raw.insert(call.call_id.clone(), text.clone());
                text.len()
            }
            _ => 0,
        };
        // Longer arguments are read by nobody.
        if length > ARGUMENT_BYTES || self.in_calls > MOST_CHUNKS {
            return Err(Fault::TooLarge);
        }
        Ok(())
    }

    /// The calls, each provider's id once, with their arguments as they were written: what the
    /// library read is not always the whole of it.
    fn calls(&self, calls: Vec<ToolCall>) -> Vec<(String, String)> {
        let mut seen = std::collections::BTreeSet::new();
        calls
            .into_iter()
            .filter(|call| call.call_id.is_empty() || seen.insert(call.call_id.clone()))
            .map(|call| {
                let raw = self.raw.get(&call.call_id).cloned();
                let arguments = raw.unwrap_or_else(|| written(&call.fn_arguments));
                (call.fn_name, arguments)
            })
            .collect()
    }
}

/// The most pieces in which calls may come.
const MOST_CHUNKS: usize = 200_000;

/// Arguments as text: what the library could not read is text already.
fn written(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn counted(usage: &Usage) -> Option<(u64, u64)> {
    let read = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
    match (read(usage.prompt_tokens), read(usage.completion_tokens)) {
        (None, None) => None,
        (input, output) => Some((input.unwrap_or(0), output.unwrap_or(0))),
    }
}

/// The HTTP client of all models: TLS by rustls with ring, no proxy, no redirects.
pub(super) fn http(timeouts: Timeouts) -> Result<reqwest13::Client, ModelSetupError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let provider = rustls::crypto::ring::default_provider();
    let tls = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|_| ModelSetupError(NO_TLS.to_owned()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest13::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest13::redirect::Policy::none())
        .connect_timeout(timeouts.connect.into())
        .build()
        .map_err(|_| ModelSetupError(NO_TLS.to_owned()))
}

const NO_TLS: &str = "the TLS client cannot be set up on this machine";
