//! What do a call's command lines mean? Each is judged once, for every row and rule that asks.

use std::cell::OnceCell;

use crate::call::{Arguments, Call};
use crate::shell::{self, Denylist, FolderTrust, Judged};

/// A call with what its texts mean as command lines.
pub(crate) struct Spoken<'a> {
    pub(crate) call: &'a Call,
    denylist: &'a Denylist,
    folder: FolderTrust,
    lines: OnceCell<Vec<Line<'a>>>,
}

/// A text argument, judged when the first asks.
struct Line<'a> {
    text: &'a str,
    judged: OnceCell<Judged>,
}

impl<'a> Spoken<'a> {
    /// Without the owner's denylist and in a folder that nobody vouched for.
    pub(crate) fn new(call: &'a Call) -> Self {
        Self::under(call, Denylist::empty(), FolderTrust::Untrusted)
    }

    pub(crate) fn under(call: &'a Call, denylist: &'a Denylist, folder: FolderTrust) -> Self {
        Self {
            call,
            denylist,
            folder,
            lines: OnceCell::new(),
        }
    }

    /// What one of the call's texts would do as a command line; none of any other text.
    pub(crate) fn judged(&self, text: &str) -> Option<&Judged> {
        let lines = self.lines.get_or_init(|| {
            let map = match &self.call.arguments {
                Arguments::Readable(map) => Some(map),
                Arguments::Unreadable(_) => None,
            };
            map.into_iter()
                .flatten()
                .filter_map(|(_, value)| value.as_str())
                .map(|text| Line {
                    text,
                    judged: OnceCell::new(),
                })
                .collect()
        });
        lines.iter().find(|line| line.text == text).map(|line| {
            line.judged
                .get_or_init(|| shell::judge(line.text, self.denylist, self.folder))
        })
    }
}
