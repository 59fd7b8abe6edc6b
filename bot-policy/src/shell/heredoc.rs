//! Where does a here-document end, and what is substituted in it?

use super::parse::{Reader, Tabs, Trouble, Waiting};
use super::tree::{Piece, Quoting, Redirect, RedirectKind, Word};

impl Reader<'_> {
    /// Reads another text as part of this line.
    pub(super) fn apart<T>(
        &mut self,
        letters: &[char],
        read: impl Fn(&mut Reader) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut inner = Reader::new(letters, self.depth);
        inner.bodies = std::mem::take(&mut self.bodies);
        let found = read(&mut inner)?;
        self.is_split |= inner.is_split;
        self.bodies = inner.bodies;
        Ok(found)
    }

    /// After `<<`.
    pub(super) fn here(&mut self, tabs: Tabs) -> Result<Redirect, Trouble> {
        let target = self.word()?;
        let end = target
            .plain()
            .ok_or("the end of a here-document is not plain")?;
        let is_bare = target.0.iter().all(|piece| match piece {
            Piece::Text(_, Quoting::Bare) => true,
            Piece::Arithmetic(_)
            | Piece::Command(..)
            | Piece::Process(_)
            | Piece::Text(_, Quoting::Quoted)
            | Piece::Variable(..) => false,
        });
        let number = self.bodies.len();
        self.bodies.push(Word::default());
        self.waiting.push(Waiting {
            number,
            end,
            quoting: if is_bare {
                Quoting::Bare
            } else {
                Quoting::Quoted
            },
            tabs,
        });
        Ok(Redirect {
            kind: RedirectKind::HereDocument(number),
            target,
        })
    }

    /// The bodies of the here-documents of the line that just ended.
    pub(super) fn read_bodies(&mut self) -> Result<(), Trouble> {
        for waiting in std::mem::take(&mut self.waiting) {
            let mut body: Vec<char> = Vec::new();
            loop {
                if self.is_done() {
                    return Err("a here-document does not end");
                }
                let rest = self.letters.get(self.at..).unwrap_or_default();
                let line: Vec<char> = rest.iter().copied().take_while(|c| *c != '\n').collect();
                self.at += line.len() + 1;
                let line: &[char] = match waiting.tabs {
                    Tabs::Kept => &line,
                    Tabs::Stripped => {
                        let tabs = line.iter().take_while(|letter| **letter == '\t').count();
                        line.get(tabs..).unwrap_or_default()
                    }
                };
                if line.iter().copied().eq(waiting.end.chars()) {
                    self.at = self.at.min(self.letters.len());
                    // The line end belongs to what follows.
                    self.at -=
                        usize::from(self.at > 0 && self.letters.get(self.at - 1) == Some(&'\n'));
                    break;
                }
                body.extend(line);
                body.push('\n');
            }
            let word = match waiting.quoting {
                Quoting::Quoted => Word(vec![Piece::Text(
                    body.into_iter().collect(),
                    Quoting::Quoted,
                )]),
                Quoting::Bare => self.apart(&body, |inner| {
                    let mut word = Word::default();
                    while !inner.is_done() {
                        inner.quoted(&mut word, &['$', '`', '\\'])?;
                    }
                    Ok(word)
                })?,
            };
            if let Some(place) = self.bodies.get_mut(waiting.number) {
                *place = word;
            }
        }
        Ok(())
    }
}
