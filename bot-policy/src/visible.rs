//! Is there more in this text than a person sees? Hidden and reordering characters, shown.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_general_category::{GeneralCategory, get_general_category};

use crate::card::LEADING_SIGN;

/// Text in which nothing hides: made only by [`show()`], [`line()`] and [`foreign()`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shown(String);

impl Shown {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shows text over several lines: line breaks and tabs stand, everything hidden is written out,
/// and long padding is told instead of shown.
pub fn show(text: &str) -> Shown {
    written(text, Breaks::Stand, Sign::Written).0
}

/// Shows text on one line: line breaks and tabs are written out too.
pub fn line(text: &str) -> Shown {
    written(text, Breaks::Written, Sign::Written).0
}

/// Shows text that is not Postern's own: the sign that our cards begin with is taken out.
pub fn foreign(text: &str) -> Shown {
    written(text, Breaks::Stand, Sign::Stripped).0
}

/// How many steps showing a text takes; at most twice its characters and one.
pub fn steps(text: &str) -> usize {
    written(text, Breaks::Stand, Sign::Written).1
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Stand,
    Written,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Stripped,
    Written,
}

/// What one character is to a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Blank,
    Break,
    Combining,
    Hidden,
    Sign,
    Visible,
}

fn written(text: &str, breaks: Breaks, sign: Sign) -> (Shown, usize) {
    let mut out = String::with_capacity(text.len());
    let mut steps = 0;
    let mut marks = 0;
    let mut at_start = true;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        steps += 1;
        let look = look(c, breaks);
        marks = if look == Look::Combining {
            marks + 1
        } else {
            0
        };
        match look {
            Look::Blank | Look::Break => {
                let mut run = Run::default();
                run.add(c);
                while let Some(c) = rest.next_if(|c| is_padding(*c, breaks)) {
                    steps += 1;
                    run.add(c);
                }
                run.write(&mut out, at_start);
            }
            Look::Combining if marks > MARKS_SHOWN => escape(&mut out, c),
            Look::Combining | Look::Visible => out.push(c),
            Look::Hidden => escape(&mut out, c),
            Look::Sign => match sign {
                Sign::Stripped => {}
                Sign::Written => escape(&mut out, c),
            },
        }
        at_start = false;
    }
    (Shown(out), steps)
}

fn escape(out: &mut String, c: char) {
    out.extend(c.escape_unicode());
}

fn is_padding(c: char, breaks: Breaks) -> bool {
    matches!(look(c, breaks), Look::Blank | Look::Break)
}

/// A run of blanks and line breaks.
#[derive(Default)]
struct Run {
    kept: String,
    blanks: usize,
    breaks: usize,
    tail: String,
    tail_blanks: usize,
}

impl Run {
    fn add(&mut self, c: char) {
        if c == '\n' {
            self.breaks += 1;
            if self.breaks == 1 {
                self.kept = std::mem::take(&mut self.tail);
                self.blanks = self.tail_blanks;
            }
            self.tail.clear();
            self.tail_blanks = 0;
        } else {
            self.tail_blanks += 1;
            if self.tail_blanks <= INDENT_SHOWN {
                self.tail.push(c);
            }
        }
    }

    /// Blanks that end a line are padding like any other; those that begin one may be code.
    fn write(self, out: &mut String, at_start: bool) {
        if self.breaks > 0 {
            blanks(out, &self.kept, self.blanks, BLANKS_SHOWN);
            if self.breaks > BLANK_LINES_SHOWN + 1 {
                out.push_str(&format!(
                    "\n\u{27e8}{} blank lines\u{27e9}\n",
                    self.breaks - 1
                ));
            } else {
                out.extend(std::iter::repeat_n('\n', self.breaks));
            }
        }
        let limit = if self.breaks > 0 || at_start {
            INDENT_SHOWN
        } else {
            BLANKS_SHOWN
        };
        blanks(out, &self.tail, self.tail_blanks, limit);
    }
}

fn blanks(out: &mut String, kept: &str, count: usize, limit: usize) {
    if count > limit {
        out.push_str(&format!(" \u{27e8}{count} blanks\u{27e9} "));
    } else {
        out.push_str(kept);
    }
}

fn look(c: char, breaks: Breaks) -> Look {
    match (c, breaks) {
        (' ', _) | ('\t', Breaks::Stand) => return Look::Blank,
        ('\n', Breaks::Stand) => return Look::Break,
        ('!'..='~', _) => return Look::Visible,
        _ if LEADING_SIGN.contains(c) => return Look::Sign,
        _ if is_ignorable(c) => return Look::Hidden,
        _ => {}
    }
    match get_general_category(c) {
        GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::PrivateUse
        | GeneralCategory::SpaceSeparator
        | GeneralCategory::Surrogate
        | GeneralCategory::Unassigned => Look::Hidden,
        GeneralCategory::EnclosingMark | GeneralCategory::NonspacingMark => Look::Combining,
        _ => Look::Visible,
    }
}

/// Characters that no font draws although their category does not say so: default-ignorable ones
/// (Unicode's `Default_Ignorable_Code_Point`), the empty Braille cell and the null notehead.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

const BLANKS_SHOWN: usize = 8;
const INDENT_SHOWN: usize = 32;
const BLANK_LINES_SHOWN: usize = 3;
/// Combining marks on one letter; more are no script but a way to cover the lines around.
const MARKS_SHOWN: usize = 4;
