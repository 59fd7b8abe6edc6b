//! How does each protocol write an answer?

use serde_json::{Value, json};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Anthropic,
    Gemini,
    Ollama,
    OpenAi,
}

/// One piece of an answer.
pub enum Piece {
    Again,
    Begin,
    Break,
    /// Which call, its function and its arguments.
    Call(usize, String, String),
    End,
    Hold,
    Trouble,
    Words(String),
}

/// A stream as it is written.
pub struct Pieces {
    form: Form,
    /// Blocks that were begun.
    blocks: usize,
    text_is_open: bool,
    called: bool,
}

impl Form {
    /// What stands behind the host in an endpoint.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Anthropic | Self::OpenAi => "/v1",
            Self::Gemini => "/v1beta",
            Self::Ollama => "",
        }
    }

    pub fn pieces(self) -> Pieces {
        Pieces {
            form: self,
            blocks: 0,
            text_is_open: false,
            called: false,
        }
    }

    pub fn error(self, status: u16, why: &str) -> Value {
        match self {
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "some_error", "message": why}})
            }
            Self::Gemini => json!({"error": {"code": status, "message": why, "status": "ERROR"}}),
            Self::Ollama => json!({"error": why}),
            Self::OpenAi => {
                json!({"error": {"message": why, "type": "some_error", "param": null, "code": null}})
            }
        }
    }

    /// The whole answer at once.
    pub fn whole(self, text: &str, calls: &[(String, String)]) -> Value {
        let parsed = |all: &str| serde_json::from_str::<Value>(all).unwrap_or(json!(all));
        match self {
            Self::Anthropic => {
                let mut content = Vec::new();
                if !text.is_empty() {
                    content.push(json!({"type": "text", "text": text}));
                }
                for (at, (name, all)) in calls.iter().enumerate() {
                    content.push(json!({"type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": parsed(all)}));
                }
                let reason = if calls.is_empty() {
                    "end_turn"
                } else {
                    "tool_use"
                };
                json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-large", "content": content, "stop_reason": reason, "stop_sequence": null, "usage": {"input_tokens": 100, "output_tokens": 10}})
            }
            Self::Gemini => {
                let mut parts = Vec::new();
                if !text.is_empty() {
                    parts.push(json!({"text": text}));
                }
                for (name, all) in calls {
                    parts.push(json!({"functionCall": {"name": name, "args": parsed(all)}}));
                }
                json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}})
            }
            Self::Ollama => {
                let calls: Vec<Value> = calls
                    .iter()
                    .map(
                        |(name, all)| json!({"function": {"name": name, "arguments": parsed(all)}}),
                    )
                    .collect();
                json!({"model": "fake-large", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text, "tool_calls": calls}, "done": true, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10})
            }
            Self::OpenAi => {
                let reason = if calls.is_empty() {
                    "stop"
                } else {
                    "tool_calls"
                };
                let calls: Vec<Value> = calls.iter().enumerate().map(|(at, (name, all))| json!({"id": format!("call_{at}"), "type": "function", "function": {"name": name, "arguments": all}})).collect();
                let mut message = json!({"role": "assistant", "content": text});
                if !calls.is_empty() {
                    message["tool_calls"] = json!(calls);
                }
                json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake-large", "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
            }
        }
    }
}

impl Pieces {
    pub fn write(&mut self, piece: &Piece) -> String {
        match self.form {
            Form::Anthropic => self.anthropic(piece),
            Form::Gemini => self.gemini(piece),
            Form::Ollama => self.ollama(piece),
            Form::OpenAi => self.openai(piece),
        }
    }

    fn anthropic(&mut self, piece: &Piece) -> String {
        let event = |value: Value| {
            format!(
                "event: {}\ndata: {value}\n\n",
                value["type"].as_str().unwrap()
            )
        };
        let mut out = String::new();
        match piece {
            Piece::Begin => {
                out += &event(
                    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-large", "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 100, "output_tokens": 1}}}),
                )
            }
            Piece::Words(text) => {
                if !self.text_is_open {
                    self.text_is_open = true;
                    self.blocks += 1;
                    out += &event(
                        json!({"type": "content_block_start", "index": self.blocks - 1, "content_block": {"type": "text", "text": ""}}),
                    );
                }
                out += &event(
                    json!({"type": "content_block_delta", "index": self.blocks - 1, "delta": {"type": "text_delta", "text": text}}),
                );
            }
            Piece::Call(at, name, all) => {
                out += &self.close_text();
                self.called = true;
                let index = self.blocks;
                self.blocks += 1;
                out += &event(
                    json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": {}}}),
                );
                for piece in halves(all) {
                    out += &event(
                        json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}),
                    );
                }
                out += &event(json!({"type": "content_block_stop", "index": index}));
            }
            Piece::Trouble => {
                out += &event(
                    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
                )
            }
            Piece::End => {
                out += &self.close_text();
                let reason = if self.called { "tool_use" } else { "end_turn" };
                out += &event(
                    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 10}}),
                );
                out += &event(json!({"type": "message_stop"}));
            }
            Piece::Again | Piece::Break | Piece::Hold => {}
        }
        out
    }

    fn close_text(&mut self) -> String {
        if !std::mem::take(&mut self.text_is_open) {
            return String::new();
        }
        let stop = json!({"type": "content_block_stop", "index": self.blocks - 1});
        format!("event: content_block_stop\ndata: {stop}\n\n")
    }

    fn openai(&mut self, piece: &Piece) -> String {
        let data = |value: Value| format!("data: {value}\n\n");
        let chunk = |delta: Value, reason: Value| {
            data(
                json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-large", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}),
            )
        };
        match piece {
            Piece::Begin => chunk(json!({"role": "assistant", "content": ""}), json!(null)),
            Piece::Words(text) => chunk(json!({"content": text}), json!(null)),
            Piece::Call(at, name, all) => {
                self.called = true;
                let begin = json!({"tool_calls": [{"index": at, "id": format!("call_{at}"), "type": "function", "function": {"name": name, "arguments": ""}}]});
                let mut out = chunk(begin, json!(null));
                for piece in halves(all) {
                    let more =
                        json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]});
                    out += &chunk(more, json!(null));
                }
                out
            }
            Piece::Trouble => data(
                json!({"error": {"message": "The server had an error", "type": "server_error"}}),
            ),
            Piece::End => {
                let reason = if self.called { "tool_calls" } else { "stop" };
                let usage = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-large", "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}});
                chunk(json!({}), json!(reason)) + &data(usage) + "data: [DONE]\n\n"
            }
            Piece::Again | Piece::Break | Piece::Hold => String::new(),
        }
    }

    fn gemini(&mut self, piece: &Piece) -> String {
        let data = |parts: Value, reason: Option<&str>| {
            let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
            if let Some(reason) = reason {
                candidate["finishReason"] = json!(reason);
            }
            let whole = json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}});
            format!("data: {whole}\n\n")
        };
        match piece {
            Piece::Words(text) => data(json!([{"text": text}]), None),
            Piece::Call(_, name, all) => {
                let all = serde_json::from_str::<Value>(all).unwrap_or(json!({}));
                data(json!([{"functionCall": {"name": name, "args": all}}]), None)
            }
            Piece::Trouble => format!("data: {}\n\n", self.form.error(503, "overloaded")),
            Piece::End => data(json!([{"text": ""}]), Some("STOP")),
            Piece::Again | Piece::Begin | Piece::Break | Piece::Hold => String::new(),
        }
    }

    fn ollama(&mut self, piece: &Piece) -> String {
        let line = |message: Value| {
            let whole = json!({"model": "fake-large", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false});
            format!("{whole}\n")
        };
        match piece {
            Piece::Words(text) => line(json!({"role": "assistant", "content": text})),
            Piece::Call(_, name, all) => {
                let all = serde_json::from_str::<Value>(all).unwrap_or(json!({}));
                line(
                    json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": all}}]}),
                )
            }
            Piece::Trouble => format!("{}\n", json!({"error": "the runner has stopped"})),
            Piece::End => format!(
                "{}\n",
                json!({"model": "fake-large", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10})
            ),
            Piece::Again | Piece::Begin | Piece::Break | Piece::Hold => String::new(),
        }
    }
}

/// Arguments in two pieces, as they come.
fn halves(text: &str) -> [String; 2] {
    let letters: Vec<char> = text.chars().collect();
    let (first, second) = letters.split_at(letters.len() / 2);
    [first.iter().collect(), second.iter().collect()]
}
