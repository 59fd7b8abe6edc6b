//! What do a call's command lines mean? Each is judged once, for every row and rule that asks.

use std::cell::OnceCell;

use crate::call::Call;
use crate::rules::pattern::is_line;
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

    /// What the call's command lines would do, by the names of its arguments.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Judged> {
        let texts = self.call.texts().filter(|(name, _)| is_line(name));
        texts.filter_map(|(_, line)| self.judged(line))
    }

    /// What one of the call's texts would do as a command line; none of any other text.
    pub(crate) fn judged(&self, text: &str) -> Option<&Judged> {
        let lines = self.lines.get_or_init(|| {
            let texts = self.call.texts();
            texts
                .map(|(_, text)| Line {
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
