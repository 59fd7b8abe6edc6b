//! What does a command line say, before anyone asks what it does? Its commands, words and redirects.

/// Commands one after another; how they are joined (`;`, `&&`, `||`, `&`) says nothing of danger.
pub(super) type List = Vec<Pipeline>;

/// Commands joined by `|`.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Stage>,
}

#[derive(Debug)]
pub(super) enum Stage {
    Group(Group),
    Simple(Simple),
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

/// A subshell, braces, a loop, a condition or a function: what runs in it and which words it reads.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) shape: Shape,
    pub(super) lists: Vec<List>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `for NAME in words`.
    Each(String),
    Function(String),
    /// Conditions, loops, tests and arithmetic.
    Other,
    /// `( )` and `{ }`.
    Plain,
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    /// One word, or those of an array.
    pub(super) values: Vec<Word>,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) kind: RedirectKind,
    pub(super) target: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    Append,
    Both,
    Copy,
    /// The body has this number among those that the parser read.
    HereDocument(usize),
    HereString,
    Read,
    Write,
}

#[derive(Debug, Default)]
pub(super) struct Word(pub(super) Vec<Piece>);

#[derive(Debug)]
pub(super) enum Piece {
    Arithmetic(Word),
    Command(List, Quoting),
    Process(List),
    Text(String, Quoting),
    Variable(Variable, Quoting),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    Bare,
    Quoted,
}

/// `$name` or `${name…}`.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) treatment: Treatment,
    /// The index, default, pattern or whatever else stands in the braces.
    pub(super) inner: Vec<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// The value as it is.
    AsIs,
    /// The value, or the last word in the braces.
    Default,
    /// Something made of the value.
    Other,
}

impl Word {
    /// Adds a letter, joined to what was there if it is quoted the same way.
    pub(super) fn push(&mut self, letter: char, quoting: Quoting) {
        self.push_all(&[letter], quoting);
    }

    /// Adds text, joined to what was there if it is quoted the same way.
    pub(super) fn push_all(&mut self, letters: &[char], quoting: Quoting) {
        match self.0.last_mut() {
            Some(Piece::Text(text, same)) if *same == quoting => text.extend(letters),
            Some(
                Piece::Arithmetic(_)
                | Piece::Command(..)
                | Piece::Process(_)
                | Piece::Text(..)
                | Piece::Variable(..),
            )
            | None => {
                let mut text = String::with_capacity(letters.len());
                text.extend(letters);
                self.0.push(Piece::Text(text, quoting));
            }
        }
    }
}
