//! What must not get out? Every loaded secret, cut from whatever is shown, stored or logged.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use bot_policy::approval::Question;
use bot_policy::call::{Arguments, Call};
use bot_policy::card::{Card, Field};
use bot_policy::decide::{Decision, Finding};
use bot_policy::id::ToolName;
use bot_policy::message::{Body, Enclosure, Notice, OutboundMessage, Reply};
use bot_policy::risk::Risk;
use bot_policy::rules::Rule;
use bot_policy::secret::{NotRedactable, Redactor, Secret, config_hash};
use bot_policy::security::SecurityEvent;
use bot_policy::visible::{self, Shown};
use serde_json::Value;

/// The loaded secrets, shared by every way out. Before any is loaded, what has the shape of a
/// well-known kind of secret is cut all the same.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<RwLock<Known>>);

#[derive(Debug, Default)]
struct Known {
    secrets: Vec<Secret<String>>,
    redactor: Arc<Redactor>,
}

/// The log: each record without secrets, on the standard error.
#[derive(Debug)]
pub struct Log(Secrets);

impl Secrets {
    /// Knows these too from now on.
    ///
    /// # Errors
    /// When one of them cannot be looked for in text; none of them is known then.
    pub fn load(
        &self,
        secrets: impl IntoIterator<Item = Secret<String>>,
    ) -> Result<(), NotRedactable> {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.secrets.clone();
        for secret in secrets {
            if !all
                .iter()
                .any(|other| other.matches(secret.reveal().as_bytes()))
            {
                all.push(secret);
            }
        }
        if all.len() > known.secrets.len() {
            known.redactor = Arc::new(Redactor::new(&all)?);
            known.secrets = all;
        }
        Ok(())
    }

    fn redactor(&self) -> Arc<Redactor> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.redactor.clone()
    }

    /// Where the log goes.
    pub fn log(&self) -> Log {
        Log(self.clone())
    }

    /// The text without secrets.
    pub(crate) fn cut(&self, text: &str) -> String {
        self.redactor().cut(text)
    }

    /// The text without the loaded secrets alone: what a person judges hides nothing else.
    pub(crate) fn cut_known(&self, text: &str) -> String {
        self.redactor().cut_known(text)
    }

    /// The message without secrets.
    pub(crate) fn cut_message(&self, message: &OutboundMessage) -> OutboundMessage {
        let body = match &message.body {
            Body::Card(card) => Body::Card(self.cut_card(card)),
            Body::File(file) => Body::File(Enclosure {
                name: self.cut(&file.name),
                caption: self.cut(&file.caption),
                ..file.clone()
            }),
            // A notice may show the whole of a card.
            Body::Notice(notice) => Body::Notice(Notice {
                text: self.cut_known(&notice.text),
                ..notice.clone()
            }),
            Body::Reply(reply) => Body::Reply(Reply {
                markdown: self.cut(&reply.markdown),
                footer: reply.footer.as_deref().map(|footer| self.cut(footer)),
                addresses: reply.addresses,
            }),
        };
        OutboundMessage {
            body,
            answers: message.answers.clone(),
        }
    }

    fn cut_card(&self, card: &Card) -> Card {
        let fields = card.fields.iter().map(|field| Field {
            label: self.cut_shown(&field.label),
            value: self.cut_shown(&field.value),
            ..field.clone()
        });
        Card {
            title: self.cut_shown(&card.title),
            reasons: card.reasons.iter().map(|why| self.cut_shown(why)).collect(),
            rule: card.rule.as_ref().map(|rule| self.cut_shown(rule)),
            fields: fields.collect(),
            always: card.always.as_ref().map(|rule| self.cut_shown(rule)),
            choices: card.choices.clone(),
            outcome: card.outcome.as_ref().map(|how| self.cut_shown(how)),
        }
    }

    fn cut_shown(&self, shown: &Shown) -> Shown {
        let cut = self.cut_known(shown.as_str());
        if cut == shown.as_str() {
            shown.clone()
        } else {
            visible::show(&cut)
        }
    }

    /// The question as its card shows it. Cut before anything is shortened, so that no half of a
    /// secret stands at the edge.
    pub(crate) fn cut_question(&self, question: &Question) -> Question {
        let reasons = question.reasons.iter().map(|finding| Finding {
            because: self.cut_known(&finding.because),
            ..finding.clone()
        });
        Question {
            call: self.cut_call(&question.call),
            reasons: reasons.collect(),
            always: question.always.as_ref().map(|rule| self.cut_rule(rule)),
            alike: question.alike.as_ref().map(|rule| self.cut_rule(rule)),
            block: question.block.as_ref().map(|rule| self.cut_rule(rule)),
            ..question.clone()
        }
    }

    /// The call without the loaded secrets: as it comes from the model, before it is stored, judged
    /// or shown, so that what is approved is what runs.
    pub(crate) fn cut_call(&self, call: &Call) -> Call {
        Call {
            tool: ToolName::new(self.cut_known(call.tool.as_str())),
            command: self.cut_known(&call.command),
            arguments: match &call.arguments {
                Arguments::Unreadable(text) => Arguments::Unreadable(self.cut_known(text)),
                Arguments::Readable(map) => Arguments::Readable(
                    map.iter()
                        .map(|(name, value)| (name.clone(), self.cut_value(value)))
                        .collect(),
                ),
            },
            ..call.clone()
        }
    }

    fn cut_rule(&self, rule: &Rule) -> Rule {
        Rule {
            pattern: self.cut_known(&rule.pattern),
            ..rule.clone()
        }
    }

    /// Arguments were read under a limit of depth.
    fn cut_value(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.cut_value(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(name, value)| (self.cut_known(name), self.cut_value(value)))
                .collect(),
            Value::String(text) => self.cut_known(text).into(),
            Value::Bool(_) | Value::Null | Value::Number(_) => value.clone(),
        }
    }

    /// A keyed hash of the settings, which tells nothing of a secret in them.
    pub(crate) fn hash(&self, settings: &Value, key: &str) -> String {
        let key = Secret::new(key.to_owned());
        config_hash(settings, &self.redactor(), &key)
    }

    /// The event of a decision.
    pub(crate) fn event(&self, call: &Call, decision: &Decision, risk: Risk) -> SecurityEvent {
        SecurityEvent::of(call, decision, risk, &self.redactor())
    }
}

impl io::Write for Log {
    /// Takes one record: the subscriber writes each in one piece.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let text = self.0.cut(&String::from_utf8_lossy(record));
        io::stderr().write_all(text.as_bytes())?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
