//! Which question comes in, and how does the answer leave?

use std::io;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::checks;
use super::forms::{Form, Piece};
use super::{Asked, KEY, MODELS, NOTHING, Shared, Turn};

pub async fn openai(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let known = headers
        .get(header::AUTHORIZATION)
        .is_some_and(|key| *key == format!("Bearer {KEY}"));
    answer(shared, Form::OpenAi, known, None, body).await
}

pub async fn anthropic(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let known = headers.get("x-api-key").is_some_and(|key| *key == KEY);
    let versioned = headers.contains_key("anthropic-version");
    answer(shared, Form::Anthropic, known && versioned, None, body).await
}

pub async fn gemini(
    State(shared): State<Shared>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let known = headers.get("x-goog-api-key").is_some_and(|key| *key == KEY);
    answer(shared, Form::Gemini, known, Some(call), body).await
}

pub async fn ollama(State(shared): State<Shared>, body: Bytes) -> Response {
    answer(shared, Form::Ollama, true, None, body).await
}

async fn answer(
    shared: Shared,
    form: Form,
    key_is_known: bool,
    call: Option<String>,
    body: Bytes,
) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return refusal(form, 400, "the body is no JSON", None);
    };
    let (model, streams) = match &call {
        Some(call) => {
            let (model, how) = call.split_once(':').unwrap_or((call, ""));
            (model.to_owned(), how == "streamGenerateContent")
        }
        None => (
            body["model"].as_str().unwrap_or("").to_owned(),
            // Ollama streams unless it is told not to.
            body["stream"].as_bool().unwrap_or(form == Form::Ollama),
        ),
    };
    let refused = if !key_is_known {
        Some((401, format!("Incorrect API key provided: {KEY}x")))
    } else if !MODELS.contains(&model.as_str()) {
        Some((404, format!("model {model:?} not found")))
    } else {
        checks::wrong(form, &body).map(|why| (400, why))
    };
    let turn = {
        let mut state = shared.lock();
        state.asked.push(Asked {
            form,
            model,
            streams,
            body,
            refused: refused.as_ref().map(|(_, why)| why.clone()),
            at: Instant::now(),
        });
        match &refused {
            Some(_) => Turn::Empty,
            None => state
                .script
                .pop_front()
                .unwrap_or_else(|| Turn::say(NOTHING)),
        }
    };
    if let Some((status, why)) = refused {
        return refusal(form, status, &why, None);
    }
    match turn {
        Turn::Refuse(status, why, after) => refusal(form, status, &why, after),
        Turn::Hang => std::future::pending().await,
        turn if streams => stream(shared, form, turn),
        turn => plain(form, turn),
    }
}

fn refusal(form: Form, status: u16, why: &str, after: Option<u64>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    let mut response = (status, axum::Json(form.error(status.as_u16(), why))).into_response();
    if let Some(after) = after {
        let after = after.to_string().parse().unwrap();
        response.headers_mut().insert(header::RETRY_AFTER, after);
    }
    response
}

fn plain(form: Form, turn: Turn) -> Response {
    let (text, calls) = match turn {
        Turn::Say(text) => (text, Vec::new()),
        Turn::Call(text, calls) => (text, calls),
        Turn::Held(text, more) => (text + &more, Vec::new()),
        Turn::Steps(texts) => (texts.concat(), Vec::new()),
        Turn::Empty => (String::new(), Vec::new()),
        Turn::Break(_) | Turn::Trouble(_) | Turn::Endless(_) | Turn::Hang | Turn::Refuse(..) => {
            return broken();
        }
    };
    axum::Json(form.whole(&text, &calls)).into_response()
}

fn broken() -> Response {
    let stream = futures_util::stream::once(async {
        Err::<Bytes, _>(io::Error::other("broken on purpose"))
    });
    Response::new(Body::from_stream(stream))
}

fn stream(shared: Shared, form: Form, turn: Turn) -> Response {
    let (send, receive) = tokio::sync::mpsc::channel::<Result<Bytes, io::Error>>(4);
    tokio::spawn(async move {
        let mut form = form.pieces();
        let mut pieces: Vec<Piece> = vec![Piece::Begin];
        let words = |text: &str| {
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(7).map(|piece| piece.iter().collect());
            pieces.map(Piece::Words).collect::<Vec<_>>()
        };
        match turn {
            Turn::Say(text) => pieces.extend(words(&text)),
            Turn::Call(text, calls) => {
                pieces.extend(words(&text));
                let calls = calls.into_iter().enumerate();
                pieces.extend(calls.map(|(at, (name, all))| Piece::Call(at, name, all)));
            }
            Turn::Held(text, more) => {
                pieces.extend(words(&text));
                pieces.push(Piece::Hold);
                pieces.extend(words(&more));
            }
            Turn::Steps(texts) => {
                for (n, text) in texts.iter().enumerate() {
                    if n > 0 {
                        pieces.push(Piece::Hold);
                    }
                    pieces.extend(words(text));
                }
            }
            Turn::Break(text) => {
                pieces.extend(words(&text));
                pieces.push(Piece::Break);
            }
            Turn::Trouble(text) => {
                pieces.extend(words(&text));
                pieces.push(Piece::Trouble);
            }
            Turn::Endless(text) => {
                pieces.push(Piece::Words(text));
                pieces.push(Piece::Again);
            }
            Turn::Empty | Turn::Hang | Turn::Refuse(..) => {}
        }
        pieces.push(Piece::End);
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            at += 1;
            match piece {
                Piece::Hold => shared.go.notified().await,
                Piece::Again => at -= 2,
                Piece::Break => {
                    let broken = io::Error::other("broken on purpose");
                    // What was sent before has to arrive before the connection breaks.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    let _ = send.send(Err(broken)).await;
                    return;
                }
                piece => {
                    let bytes = form.write(piece);
                    if send.send(Ok(Bytes::from(bytes))).await.is_err() {
                        return;
                    }
                }
            }
        }
    });
    let stream = futures_util::stream::unfold(receive, |mut receive| async move {
        let next = receive.recv().await?;
        Some((next, receive))
    });
    let mut response = Response::new(Body::from_stream(stream));
    let kind = match form {
        Form::Ollama => "application/x-ndjson",
        Form::Anthropic | Form::Gemini | Form::OpenAi => "text/event-stream",
    };
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, kind.parse().unwrap());
    response
}
