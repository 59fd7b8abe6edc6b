//! A gateway that answers what it is told to, behind the real socket.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::Mutex;

use async_trait::async_trait;
use bot_policy::access::Role;
use bot_policy::id::Timestamp;
use bot_policy::pairing::CodeRole;
use gateway::code::protocol::Seen;
use gateway::doctor::Check;
use gateway::folder::{Folder, Purpose};
use gateway::socket::{
    Keeper, KeeperError, LineState, LineStatus, NewCode, PersonStatus, Socket, Status, Unpaired,
};
use gateway::token::{ChatToken, NewToken, TokenName, Words};
use rustix::process::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Folders of their own for one test, and the program run on them.
pub struct Home {
    root: tempfile::TempDir,
}

/// Who takes itself for the gateway.
#[derive(Clone, Copy, PartialEq)]
pub enum Gateway {
    /// Some process that has nothing to do with the test.
    Elsewhere,
    /// The test, so that what it starts is the gateway's.
    ThisTest,
}

/// Answers with what it was made with.
pub struct Scripted {
    pub status: Status,
    pub checks: Vec<Check>,
    pub refuses: Option<&'static str>,
    pub without_link: Vec<LineStatus>,
    pub asked: Mutex<Vec<String>>,
}

impl Home {
    pub fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Writes `postern.toml`.
    pub fn configure(&self, text: &str) {
        let folder = Folder::open(Purpose::Config, &self.config()).unwrap();
        std::fs::write(folder.path().join("postern.toml"), text).unwrap();
    }

    /// Adds to `postern.toml`.
    pub fn add_settings(&self, text: &str) {
        let file = self.config().join("postern.toml");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(file, before + text).unwrap();
    }

    /// Where the key of a model is kept.
    pub fn key(&self) -> PathBuf {
        self.path().join("model-key")
    }

    /// Writes the key of a model, for its owner alone.
    pub fn write_key(&self, key: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(self.key(), key).unwrap();
        let alone = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(self.key(), alone).unwrap();
    }

    /// The program with these arguments, on these folders.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postern"));
        command
            .args(arguments)
            .env("POSTERN_DATA", self.data())
            .env("POSTERN_CONFIG", self.config())
            .env("ANTHROPIC_API_KEY", "")
            .env("GEMINI_API_KEY", "")
            .env("OPENAI_API_KEY", "")
            .stdin(std::process::Stdio::null());
        command
    }

    /// Runs the program while the test goes on.
    pub async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap())
            .await
            .unwrap()
    }

    /// Serves the socket while `asking` runs.
    pub async fn serving<T>(
        &self,
        keeper: &Scripted,
        gateway: Gateway,
        asking: impl Future<Output = T>,
    ) -> T {
        let data = Folder::open(Purpose::Data, &self.data())
            .unwrap()
            .hold()
            .unwrap();
        let mut elsewhere = Elsewhere::start();
        let socket = match gateway {
            Gateway::Elsewhere => Socket::open_for(&data, elsewhere.pid()),
            Gateway::ThisTest => Socket::open(&data),
        }
        .unwrap();
        tokio::select! {
            () = socket.serve(keeper) => unreachable!(),
            done = asking => done,
        }
    }
}

struct Elsewhere(Child);

impl Elsewhere {
    fn start() -> Self {
        Self(Command::new("sleep").arg("60").spawn().unwrap())
    }

    fn pid(&mut self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Default for Scripted {
    fn default() -> Self {
        Self::new("http://127.0.0.1:8787/")
    }
}

impl Scripted {
    pub fn new(web: &str) -> Self {
        Self {
            status: status(web),
            checks: vec![Check::ok("store", "it takes what it is given")],
            refuses: None,
            without_link: Vec::new(),
            asked: Mutex::default(),
        }
    }

    fn note(&self, what: String) -> Result<(), KeeperError> {
        self.asked.lock().unwrap().push(what);
        match self.refuses {
            Some(why) => Err(KeeperError::Refused(why.to_owned())),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Keeper for Scripted {
    async fn new_code(&self, role: CodeRole) -> Result<NewCode, KeeperError> {
        self.note(format!("{role:?}"))?;
        let now = std::time::SystemTime::now();
        let now = now
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_millis() as i64;
        Ok(NewCode {
            code: "ABCD2345".to_owned(),
            links: vec!["http://127.0.0.1:8787/#ABCD2345".to_owned()],
            without_link: self.without_link.clone(),
            ends_at: Timestamp(now + 605_000),
        })
    }

    async fn status(&self) -> Result<Status, KeeperError> {
        Ok(self.status.clone())
    }

    async fn send(&self, text: String, to: Option<String>) -> Result<String, KeeperError> {
        self.note(format!("{text} to {to:?}"))?;
        Ok("web 1".to_owned())
    }

    async fn make_token(&self, name: TokenName, words: Words) -> Result<NewToken, KeeperError> {
        self.note(format!("token {name} {words:?}"))?;
        let token = format!("postern_{}", "a".repeat(64));
        Ok(NewToken { name, words, token })
    }

    async fn tokens(&self) -> Result<Vec<ChatToken>, KeeperError> {
        self.note("tokens".to_owned())?;
        Ok(Vec::new())
    }

    async fn revoke_token(&self, name: &str) -> Result<(), KeeperError> {
        self.note(format!("revoke {name}"))
    }

    async fn unpair(&self, place: &str) -> Result<Unpaired, KeeperError> {
        self.note(place.to_owned())?;
        Ok(Unpaired {
            place: place.to_owned(),
            person: "Ann".to_owned(),
            withdrawn: 1,
        })
    }

    async fn doctor(&self) -> Result<Vec<Check>, KeeperError> {
        self.note("doctor".to_owned())?;
        Ok(self.checks.clone())
    }
}

/// A status in which everything that can be shown is.
pub fn status(web: &str) -> Status {
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        since: Timestamp(0),
        web: web.to_owned(),
        model: "practice".to_owned(),
        lines: vec![LineStatus {
            line: "family".to_owned(),
            platform: "telegram".to_owned(),
            state: LineState::Stopped,
            detail: "the platform refuses the credentials".to_owned(),
        }],
        people: vec![PersonStatus {
            name: "Ann".to_owned(),
            role: Role::Owner,
            places: vec!["web:1".to_owned(), "family:7".to_owned()],
        }],
        code: vec![Seen {
            name: "ab941767".to_owned(),
            folder: "/home/ann/sum".to_owned(),
            last: "All green.".to_owned(),
            at: Timestamp(0),
            linked: vec!["family".to_owned()],
            open: true,
        }],
        open_questions: 1,
        live_codes: 2,
        notes: vec!["twenty wrong codes voided all".to_owned()],
    }
}

/// A page that answers `/healthz` with this status line, while `asking` runs.
pub async fn page<T>(answer: &str, asking: impl AsyncFnOnce(String) -> T) -> T {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at: SocketAddr = listener.local_addr().unwrap();
    let answering = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut question = [0; 512];
            let read = stream.read(&mut question).await.unwrap();
            assert!(question[..read].starts_with(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:"));
            let said = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(said.as_bytes()).await.unwrap();
        }
    };
    tokio::select! {
        () = answering => unreachable!(),
        done = asking(format!("http://{at}/")) => done,
    }
}

/// The exit code and both outputs.
pub fn read(said: &Output) -> (i32, &str, &str) {
    (
        said.status.code().unwrap(),
        std::str::from_utf8(&said.stdout).unwrap(),
        std::str::from_utf8(&said.stderr).unwrap(),
    )
}
