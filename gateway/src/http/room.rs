//! How many bytes of bodies are held at once? So many for all doors together, however many knock.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The most that is held, in bytes.
const MOST: usize = 32 << 20;

/// What is held now.
#[derive(Debug, Default)]
pub(super) struct Room(AtomicUsize);

/// What one request holds of it, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    room: &'a Room,
    bytes: usize,
}

/// There is no room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Room {
    /// Room for a request of which nothing has come yet.
    pub(super) fn enter(&self) -> Held<'_> {
        Held {
            room: self,
            bytes: 0,
        }
    }
}

impl Held<'_> {
    /// Takes room for so many bytes more.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Full> {
        let before = self.room.0.fetch_add(bytes, Ordering::Relaxed);
        self.bytes = self.bytes.saturating_add(bytes);
        if before.saturating_add(bytes) > MOST {
            return Err(Full);
        }
        Ok(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
