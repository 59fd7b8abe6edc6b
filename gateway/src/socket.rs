//! Who asks at the terminal? An owner-only Unix socket in the data folder, one JSON line each way.
//!
//! ```text
//!  postern pair --connect--> another user? a child of the gateway? --no--> Request --> Keeper --> Answer
//!                                            yes: refused, and why
//! ```

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt;
use rustix::process::{Pid, getpid};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use crate::folder::{DataFolder, Folder};

pub mod kin;
mod words;

use kin::Refusal;
pub use words::{
    Answer, Keeper, KeeperError, LineState, LineStatus, NewCode, PersonStatus, Request, Status,
    Unpaired,
};

/// The longest question, in bytes: the longest text with each character escaped.
const QUESTION_LIMIT: u64 = 128 * 1024;
/// The longest answer, in bytes.
const ANSWER_LIMIT: u64 = 1024 * 1024;
/// How long a question may take to arrive, and an answer to leave.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the gateway may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// How many may ask at once; the others wait.
const AT_ONCE: usize = 8;

/// The socket, listening. Its file goes when the value does.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    gateway: Pid,
}

/// The socket cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open {}: {why}; a shorter path in POSTERN_DATA, or removing what stands there, helps", .path.display())]
pub struct SocketError {
    path: PathBuf,
    why: io::Error,
}

/// Asking the running gateway failed.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It went away, or said what this program does not understand.
    #[error(
        "the running Postern did not answer properly ({0}); if it was just updated, restart it"
    )]
    Broken(String),
    /// Nothing listens.
    #[error("Postern is not running; start it with: postern")]
    NotRunning,
    /// It answered, and will not.
    #[error("{0}")]
    Refused(String),
    /// It took too long.
    #[error(
        "the running Postern does not answer; look at its own terminal or log, then restart it"
    )]
    Silent,
}

impl Socket {
    /// Opens the socket of a data folder that this process holds; one left behind is replaced.
    ///
    /// From here on, orphans among what this process starts become its own children again, so
    /// that none of them can pass for somebody else by leaving its parent.
    ///
    /// # Errors
    /// When the path is too long for the system, or something in the way is no socket.
    pub fn open(data: &DataFolder) -> Result<Self, SocketError> {
        Self::open_for(data, getpid())
    }

    /// Opens it for a gateway that is another process than this one; only tests need that.
    ///
    /// # Errors
    /// As [`Socket::open`].
    pub fn open_for(data: &DataFolder, gateway: Pid) -> Result<Self, SocketError> {
        let path = data.folder().socket();
        let wrong = |why| SocketError {
            path: path.clone(),
            why,
        };
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => return Err(wrong(why)),
        }
        kin::keep_orphans().map_err(wrong)?;
        let listener = UnixListener::bind(&path).map_err(wrong)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(wrong)?;
        Ok(Self {
            listener,
            path,
            gateway,
        })
    }

    /// Answers until dropped.
    pub async fn serve(&self, keeper: &dyn Keeper) {
        futures_util::stream::unfold((), |()| async {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => Some(stream),
                Err(why) => {
                    tracing::warn!(%why, "the socket takes no connection");
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    None
                }
            };
            Some((stream, ()))
        })
        .for_each_concurrent(AT_ONCE, |stream| async {
            if let Some(stream) = stream
                && let Err(why) = self.answer(stream, keeper).await
            {
                tracing::debug!(%why, "a question on the socket got no answer");
            }
        })
        .await;
    }

    async fn answer(&self, mut stream: UnixStream, keeper: &dyn Keeper) -> io::Result<()> {
        let answer = match self.stranger(&stream) {
            Some(why) => Answer::Refused { why },
            None => match timeout(PATIENCE, receive(&mut stream, QUESTION_LIMIT)).await {
                Ok(Ok(Request::Attend(open))) => {
                    keeper.attend(open, stream);
                    return Ok(());
                }
                Ok(Ok(request)) => words::answer(keeper, request).await,
                Ok(Err(why)) => Answer::Refused {
                    why: format!("the question was not understood: {why}"),
                },
                Err(_) => return Err(ErrorKind::TimedOut.into()),
            },
        };
        timeout(PATIENCE, send(&mut stream, &answer)).await?
    }

    fn stranger(&self, stream: &UnixStream) -> Option<String> {
        let refusal = match stream.peer_cred() {
            Ok(peer) => kin::refuse(peer.uid(), peer.pid(), self.gateway)?,
            Err(_) => Refusal::Unknown,
        };
        Some(refusal.to_string())
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Whatever stays behind is replaced at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Puts a question to the gateway that runs on a data folder.
///
/// # Errors
/// When none runs, or it refuses.
pub async fn ask(folder: &Folder, request: &Request) -> Result<Answer, AskError> {
    let broken = |why: io::Error| AskError::Broken(why.to_string());
    let mut stream = match UnixStream::connect(folder.socket()).await {
        Ok(stream) => stream,
        Err(why) => {
            return Err(match why.kind() {
                ErrorKind::NotFound | ErrorKind::ConnectionRefused => AskError::NotRunning,
                _ => broken(why),
            });
        }
    };
    let said = timeout(PATIENCE + ANSWER_TIME, async {
        // A refusal may come before the question was read; it is worth reading all the same.
        let sent = send(&mut stream, request).await;
        match receive(&mut stream, ANSWER_LIMIT).await {
            Ok(answer) => Ok(answer),
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => Err(sent.err().unwrap_or(why)),
            Err(why) => Err(why),
        }
    });
    match said.await {
        Ok(Ok(Answer::Refused { why })) => Err(AskError::Refused(why)),
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(why)) => Err(broken(why)),
        Err(_) => Err(AskError::Silent),
    }
}

async fn send<T: Serialize>(stream: &mut UnixStream, what: &T) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    stream.write_all(&line).await
}

async fn receive<T: DeserializeOwned>(stream: &mut UnixStream, limit: u64) -> io::Result<T> {
    let mut line = Vec::new();
    BufReader::new(stream.take(limit))
        .read_until(b'\n', &mut line)
        .await?;
    if line.is_empty() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}
