//! How does this terminal reach its conversation? Over the owner's socket, and again after the
//! gateway was away.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::super::screen::Stop;
use crate::code::protocol::{Open, Opened, Typed};
use crate::folder::{Folder, Purpose};
use crate::socket::{Answer, AskError, Request};

/// How often a gateway that went away is looked for, and how many times.
const AGAIN: Duration = Duration::from_millis(250);
const TRIES: u32 = 1200;

/// The lines to and from the gateway.
pub(super) struct Connection {
    reads: Lines<BufReader<OwnedReadHalf>>,
    writes: OwnedWriteHalf,
    /// What was said and is not known to be stored.
    unsure: Vec<Typed>,
}

impl Connection {
    /// Opens a conversation.
    pub(super) async fn open(open: &Open) -> Result<(Self, Opened), Stop> {
        let path = Purpose::Data.path()?;
        let folder = Folder::existing(Purpose::Data, &path)?.ok_or(AskError::NotRunning)?;
        let stream = UnixStream::connect(folder.socket()).await;
        let stream = stream.map_err(|_| AskError::NotRunning)?;
        let (reads, writes) = stream.into_split();
        let mut connection = Self {
            reads: BufReader::new(reads).lines(),
            writes,
            unsure: Vec::new(),
        };
        connection.write(&Request::Attend(open.clone())).await?;
        let broken = || AskError::Broken("it closed the connection".to_owned());
        let line = connection.reads.next_line().await?.ok_or_else(broken)?;
        match serde_json::from_str(&line)? {
            Answer::Opened(opened) => Ok((connection, *opened)),
            Answer::Refused { why } => Err(AskError::Refused(why).into()),
            Answer::Code { .. }
            | Answer::Doctor { .. }
            | Answer::NewCode(_)
            | Answer::NewToken(_)
            | Answer::Revoked
            | Answer::Sent { .. }
            | Answer::Status(_)
            | Answer::Tokens { .. }
            | Answer::Unpaired(_) => Err(super::unexpected()),
        }
    }

    /// Goes on with a conversation once the gateway is back; what may not have arrived is said
    /// again under its id.
    pub(super) async fn again(&mut self, open: &Open) -> Result<Opened, Stop> {
        let mut last = Stop::from(AskError::NotRunning);
        for _ in 0..TRIES {
            tokio::time::sleep(AGAIN).await;
            match Self::open(open).await {
                Ok((mut connection, opened)) => {
                    for typed in std::mem::take(&mut self.unsure) {
                        connection.say(typed).await?;
                    }
                    *self = connection;
                    return Ok(opened);
                }
                Err(why) => last = why,
            }
        }
        Err(last)
    }

    /// The next line; none when the gateway went away.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let line = self.reads.next_line().await.ok().flatten()?;
        serde_json::from_str(&line).ok()
    }

    /// Says something. What cannot be said now is said when the gateway is back.
    pub(super) async fn say(&mut self, typed: Typed) -> Result<(), Stop> {
        self.unsure.push(typed.clone());
        // A gateway that went away is noticed where its lines are read.
        let _ = self.write(&typed).await;
        Ok(())
    }

    /// What was said under this id is stored.
    pub(super) fn took(&mut self, id: &str) {
        self.unsure.retain(|typed| typed.id() != id);
    }

    async fn write<T: serde::Serialize>(&mut self, what: &T) -> Result<(), Stop> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        Ok(self.writes.write_all(&line).await?)
    }
}
