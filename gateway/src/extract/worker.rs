//! Who reads documents for a gateway that is kept apart from them? The same program in a container
//! of its own, without a net and without anything of ours, at a Unix socket.
//!
//! ```text
//!  request:  {"kind", "base", "charset"} and a line break, then the document until it ends
//!  answer:   {"text", "whole"} or {"error"}
//! ```

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::{ExtractError, Kind, OFFERED, TEXT_LIMIT, here};

/// How many documents are read at once.
const AT_ONCE: usize = 4;
/// How long one may take, with handing it over.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest head of a request, in bytes.
const HEAD: u64 = 16 * 1024;
/// The longest answer, in bytes: each character of a text may become six.
const ANSWER: u64 = 6 * TEXT_LIMIT as u64 + 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    kind: Kind,
    base: String,
    charset: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { error: ExtractError },
    Read { text: String, whole: bool },
}

/// Reads what is asked for at this socket, until it is dropped.
///
/// # Errors
/// When the socket cannot be made.
pub(crate) async fn serve(at: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(at) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(why),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(at)?;
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            return Ok(());
        };
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            if let Err(error) = timeout(PATIENCE, answer(stream)).await {
                tracing::debug!(%error, "a document was not handed over in time");
            }
            drop(place);
        });
    }
}

async fn answer(mut stream: UnixStream) -> std::io::Result<()> {
    let (from, mut to) = stream.split();
    let mut from = BufReader::new(from);
    let mut head = Vec::new();
    (&mut from).take(HEAD).read_until(b'\n', &mut head).await?;
    let asked: Asked = serde_json::from_slice(&head)?;
    let mut bytes = Vec::new();
    from.take(OFFERED as u64).read_to_end(&mut bytes).await?;
    let answer = match here(asked.kind, &asked.base, &asked.charset, &bytes).await {
        Ok((text, whole)) => Answer::Read { text, whole },
        Err(error) => Answer::Failed { error },
    };
    to.write_all(&serde_json::to_vec(&answer)?).await
}

/// Has a document read at this socket.
pub(super) async fn ask(
    at: &Path,
    kind: Kind,
    base: &str,
    charset: &str,
    bytes: &[u8],
) -> Result<(String, bool), ExtractError> {
    let asked = Asked {
        kind,
        base: base.to_owned(),
        charset: charset.to_owned(),
    };
    let talk = async {
        let mut head = serde_json::to_vec(&asked)?;
        head.push(b'\n');
        let mut stream = UnixStream::connect(at).await?;
        stream.write_all(&head).await?;
        stream.write_all(bytes).await?;
        stream.shutdown().await?;
        let mut said = Vec::new();
        stream.take(ANSWER).read_to_end(&mut said).await?;
        Ok::<Answer, std::io::Error>(serde_json::from_slice(&said)?)
    };
    match timeout(PATIENCE, talk).await {
        Ok(Ok(Answer::Read { text, whole })) => Ok((text, whole)),
        Ok(Ok(Answer::Failed { error })) => Err(error),
        Ok(Err(error)) => {
            tracing::error!(%error, "the worker that reads documents does not answer");
            Err(ExtractError::NotStarted)
        }
        Err(_) => Err(ExtractError::Costly),
    }
}
