//! A small web site on 127.0.0.1: what it holds is put there by the test.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What an address of the site gives.
#[derive(Clone, Debug)]
pub enum Page {
    /// A body of this content type.
    Body(&'static str, Vec<u8>),
    /// This content type, and zeros without end.
    Endless(&'static str),
    /// Another address.
    Leads(String),
    /// No answer for as long as anybody waits.
    Silent,
}

type Pages = Arc<Mutex<(HashMap<String, Page>, Vec<String>)>>;

/// A running site. It stops when this is dropped.
pub struct Site {
    pages: Pages,
    at: String,
    server: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Site {
    /// Starts an empty site.
    pub async fn start() -> Self {
        let pages = Pages::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap().to_string();
        let app = Router::new().fallback(answer).with_state(pages.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { pages, at, server }
    }

    /// Its host with its port.
    pub fn host(&self) -> &str {
        &self.at
    }

    /// The whole address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.at)
    }

    /// Puts something at a path.
    pub fn put(&self, path: &str, page: Page) {
        self.pages.lock().unwrap().0.insert(path.to_owned(), page);
    }

    /// Puts a page of HTML at a path.
    pub fn html(&self, path: &str, text: &str) {
        let page = Page::Body("text/html; charset=utf-8", text.as_bytes().to_vec());
        self.put(path, page);
    }

    /// What was asked for, with queries, in order.
    pub fn asked(&self) -> Vec<String> {
        self.pages.lock().unwrap().1.clone()
    }
}

async fn answer(State(pages): State<Pages>, uri: Uri) -> Response {
    let page = {
        let mut pages = pages.lock().unwrap();
        pages.1.push(uri.to_string());
        pages.0.get(uri.path()).cloned()
    };
    match page {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Page::Body(kind, body)) => ([(header::CONTENT_TYPE, kind)], body).into_response(),
        Some(Page::Endless(kind)) => {
            let zeros = futures_util::stream::repeat_with(|| {
                Ok::<_, std::io::Error>(Bytes::from_static(&[b'0'; 8192]))
            });
            let body = Body::from_stream(zeros);
            ([(header::CONTENT_TYPE, kind)], body).into_response()
        }
        Some(Page::Silent) => std::future::pending().await,
        Some(Page::Leads(to)) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
    }
}
