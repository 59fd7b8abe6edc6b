//! Which model answers? The first of the list that does, each asked a few times.

use std::time::Duration;

use async_trait::async_trait;

use super::fault::Fault;
use super::mapping::{estimate, request, tokens};
use super::names::Names;
use super::remote::{Answer, Failed, Remote};
use super::{Completion, Model, ModelError, Used, Wanted, written};
use crate::agent::prompt::Prompt;
use crate::config::model::{Calls, Price};

/// How often one model is asked before the next one is.
const TRIES: u32 = 3;
/// The first pause between two tries; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest that a provider's wish to wait is waited for; else the next model is asked.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// Models that are asked in order.
pub struct Chain {
    name: String,
    models: Vec<Remote>,
    calls: Calls,
    context_tokens: u32,
}

impl Chain {
    pub(super) fn new(
        name: String,
        models: Vec<Remote>,
        calls: Calls,
        context_tokens: u32,
    ) -> Self {
        Self {
            name,
            models,
            calls,
            context_tokens,
        }
    }
}

#[async_trait]
impl Model for Chain {
    fn name(&self) -> &str {
        &self.name
    }

    fn footer(&self) -> Option<&str> {
        None
    }

    fn welcome(&self) -> Option<&str> {
        None
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        streamed: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, ModelError> {
        let names = Names::of(&prompt.tools);
        let asked = request(prompt, &names, self.calls, self.context_tokens);
        let input = estimate(&asked);
        let mut last = None;
        let mut instead_of = Vec::new();
        for model in &self.models {
            let failed = match patiently(model, &asked, streamed).await {
                Ok(answer) => {
                    return Ok(Completion {
                        instead_of,
                        ..self.completion(model, answer, &names, input)
                    });
                }
                Err(failed) => failed,
            };
            instead_of.push(failed.fault.told(&model.name));
            tracing::warn!(model = model.name, fault = failed.fault.word(), "no answer");
            let may_go_on = failed.shown == 0 && failed.fault.is_the_models_own();
            last = Some((model, failed));
            if !may_go_on {
                break;
            }
        }
        Err(match last {
            Some((model, failed)) => ModelError {
                why: failed.fault.told(&model.name),
                // What was said until then was paid for.
                used: (failed.shown > 0).then(|| used(model, input, tokens(failed.shown) as u64)),
            },
            None => ModelError {
                why: "no model is set; the owner has to name one in [model]".to_owned(),
                used: None,
            },
        })
    }
}

impl Chain {
    fn completion(
        &self,
        model: &Remote,
        answer: Answer,
        names: &Names<'_>,
        input: u64,
    ) -> Completion {
        let said = answer.text.len() + answer.calls.iter().map(|(_, all)| all.len()).sum::<usize>();
        let (input, output) = answer.usage.unwrap_or((input, tokens(said) as u64));
        let completion = match self.calls {
            Calls::Written if answer.calls.is_empty() => written::completion(&answer.text, names),
            Calls::Native | Calls::Written => Completion {
                text: answer.text,
                calls: answer
                    .calls
                    .into_iter()
                    .map(|(name, arguments)| {
                        let (tool, command) = names.back(&name);
                        Wanted {
                            tool,
                            command,
                            arguments,
                        }
                    })
                    .collect(),
                ..Completion::default()
            },
        };
        Completion {
            used: Some(used(model, input, output)),
            ..completion
        }
    }
}

/// Asks one model a few times, as long as nothing of its answer was shown.
async fn patiently(
    model: &Remote,
    asked: &genai::chat::ChatRequest,
    streamed: &mut (dyn for<'t> FnMut(&'t str) + Send),
) -> Result<Answer, Failed> {
    let mut pause = FIRST_PAUSE;
    let mut tries = 1;
    loop {
        let failed = match model.ask(asked.clone(), streamed).await {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let wait = match &failed.fault {
            Fault::Busy(Some(after)) => *after,
            fault if fault.may_pass() => pause,
            _ => return Err(failed),
        };
        if failed.shown > 0 || tries >= TRIES || wait > LONGEST_PAUSE {
            return Err(failed);
        }
        tokio::time::sleep(wait).await;
        tries += 1;
        pause *= 2;
    }
}

fn used(model: &Remote, input: u64, output: u64) -> Used {
    Used {
        model: model.name.clone(),
        input,
        output,
        money: model.price.map_or(0, |price| cost(price, input, output)),
    }
}

/// What tokens cost, in millionths: the price is for a million of them.
fn cost(price: Price, input: u64, output: u64) -> u64 {
    (input as f64 * price.input.0 + output as f64 * price.output.0).ceil() as u64
}
