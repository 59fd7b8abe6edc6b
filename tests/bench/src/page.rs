//! Who talks through the page? One paired browser, as far as plain HTTP makes one.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// A browser that is paired.
pub struct Page {
    at: SocketAddr,
    cookie: String,
}

impl Page {
    /// Pairs by a code.
    pub fn paired(at: SocketAddr, code: &str) -> Self {
        let mut page = Self {
            at,
            cookie: String::new(),
        };
        let answer = page.post("/api/pair", &json!({ "code": code }));
        let answer = answer.expect("an answer of the page");
        let (_, cookie) = answer
            .split_once("set-cookie: ")
            .expect("a cookie for a good code");
        page.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        page
    }

    /// Says something under an id of its own; whether it was taken.
    pub fn say(&self, id: &str, text: &str) -> bool {
        let answer = self.post("/api/say", &json!({ "id": id, "text": text }));
        answer.is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
    }

    fn post(&self, path: &str, body: &Value) -> Option<String> {
        self.ask(&format!("POST {path}"), &body.to_string())
    }

    /// The answer; none where the program does not give a whole one.
    fn ask(&self, line: &str, body: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.at).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let at = self.at;
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {at}\r\norigin: http://{at}\r\ncookie: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.cookie,
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        (!answer.is_empty()).then_some(answer)
    }
}

const PATIENCE: Duration = Duration::from_secs(5);
