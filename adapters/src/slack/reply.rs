//! Who is told something in private, and where do they see it?

use std::fmt;

/// The person who pressed or commanded, and where.
pub(super) struct Asker<'a> {
    pub(super) channel: &'a str,
    pub(super) user: &'a str,
    pub(super) thread: Option<&'a str>,
}

impl fmt::Display for Asker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.channel, self.user)?;
        match self.thread {
            Some(thread) => write!(f, " {thread}"),
            None => Ok(()),
        }
    }
}

impl<'a> Asker<'a> {
    /// Reads back what was written; none where nobody is named.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut words = text.split(' ');
        let (channel, user) = (words.next()?, words.next()?);
        (!channel.is_empty() && !user.is_empty()).then(|| Self {
            channel,
            user,
            thread: words.next(),
        })
    }
}
