//! A strict Brave Search on 127.0.0.1: no key, no answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Where the API answers.
const PATH: &str = "/res/v1/web/search";
/// The longest query (API reference, web search: "maximum of 400 characters and 50 words").
const LONGEST: (usize, usize) = (400, 50);

#[derive(Clone)]
struct Known {
    key: String,
    asked: Arc<Mutex<Vec<(StatusCode, String)>>>,
}

/// A running engine. It stops when this is dropped.
pub struct Brave {
    known: Known,
    at: String,
    server: JoinHandle<()>,
}

impl Drop for Brave {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Brave {
    /// Starts an engine that answers to this key.
    pub async fn start(key: &str) -> Self {
        let known = Known {
            key: key.to_owned(),
            asked: Arc::default(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap().to_string();
        let app = Router::new().route(PATH, get(answer));
        let app = app.with_state(known.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { known, at, server }
    }

    /// The address of its API.
    pub fn api(&self) -> String {
        format!("http://{}{PATH}", self.at)
    }

    /// What was answered to which query, in order.
    pub fn asked(&self) -> Vec<(StatusCode, String)> {
        self.known.asked.lock().unwrap().clone()
    }
}

async fn answer(
    State(known): State<Known>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> (StatusCode, Json<Value>) {
    let text = query.get("q").cloned().unwrap_or_default();
    let tokens: Vec<_> = headers.get_all("x-subscription-token").iter().collect();
    let fits = !text.trim().is_empty()
        && text.chars().count() <= LONGEST.0
        && text.split_whitespace().count() <= LONGEST.1;
    let alone = query.len() == 1;
    let (status, body) = if tokens != [known.key.as_str()] || !fits || !alone {
        let error = json!({"code": "VALIDATION", "status": 422});
        let body = json!({"type": "ErrorResponse", "error": error});
        (StatusCode::UNPROCESSABLE_ENTITY, body)
    } else {
        let results = json!([
            {"title": "Gates", "url": "https://gates.example/", "description": "about gates"},
            {"title": "no address", "url": "javascript:x", "description": "x"},
        ]);
        let web = json!({"type": "search", "results": results});
        (StatusCode::OK, json!({"type": "search", "web": web}))
    };
    known.asked.lock().unwrap().push((status, text));
    (status, Json(body))
}
