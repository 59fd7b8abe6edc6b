//! A page that is served, and a client that sends exactly what it is told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gateway::http::serve;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::http_desk::Memory;

pub struct Served {
    pub at: SocketAddr,
    pub desk: Arc<Memory>,
    pub stop: Option<oneshot::Sender<()>>,
    pub task: tokio::task::JoinHandle<std::io::Result<()>>,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

pub async fn served(hosts: &[&str]) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let desk = Arc::new(Memory::default());
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(serve(listener, desk.clone(), hosts, stopped));
    Served {
        at,
        desk,
        stop: Some(stop),
        task,
    }
}

impl Served {
    /// Sends a request whose head has just these lines, and reads until the connection ends.
    pub async fn raw(&self, request: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = self.open(request, headers, body).await;
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let _ = tokio::time::timeout(Duration::from_secs(5), read)
            .await
            .expect("the answer ends");
        Answer::parse(&bytes)
    }

    pub async fn open(&self, request: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut head = format!("{request} HTTP/1.1\r\nconnection: close\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        head.push_str(body);
        let mut stream = TcpStream::connect(self.at).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    pub fn host(&self) -> String {
        format!("host: {}", self.at)
    }

    pub fn origin(&self) -> String {
        format!("origin: http://{}", self.at)
    }

    /// A GET as a browser sends it.
    pub async fn get(&self, path: &str, token: &str) -> Answer {
        let cookie = format!("cookie: postern_session={token}");
        let host = self.host();
        self.raw(&format!("GET {path}"), &[&host, &cookie], "")
            .await
    }

    /// A POST as our page sends it, with what is given instead of or besides.
    pub async fn post(&self, path: &str, token: &str, body: &str) -> Answer {
        let (host, origin) = (self.host(), self.origin());
        self.post_as(path, token, &[&host, &origin], body).await
    }

    pub async fn post_as(&self, path: &str, token: &str, who: &[&str], body: &str) -> Answer {
        let length = format!("content-length: {}", body.len());
        let cookie = format!("cookie: postern_session={token}");
        let mut headers = who.to_vec();
        headers.extend(["content-type: application/json", &length, &cookie]);
        self.raw(&format!("POST {path}"), &headers, body).await
    }
}

impl Answer {
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").expect("a whole head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Self {
            status: status.expect("a status"),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub fn error(&self) -> (u16, String) {
        let text = self.json()["error"].as_str().expect("a text").to_owned();
        (self.status, text)
    }
}
