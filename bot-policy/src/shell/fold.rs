//! What will a word be when the command runs? Quotes taken off, braces opened, known variables put in.

use std::collections::BTreeMap;

use super::tree::{Piece, Pipeline, Quoting, Stage, Treatment, Variable, Word};

/// One word of a simple command as the program would get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its text; what cannot be known stands as it was written (`$NAME`, `$(…)`).
    pub text: String,
    /// Whether all of it is known.
    pub literal: Literal,
}

/// Whether all of a word is known before the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Literal {
    /// The text is what the program gets.
    Yes,
    /// The shell matches a pattern (`*`, `?`) against file names, or finds a home folder.
    Pattern,
    /// A variable decides.
    Variable,
    /// A variable that this very line sets to what cannot be told.
    Set,
    /// What another command prints decides.
    Printed,
}

impl Argument {
    /// A word that is known.
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            literal: Literal::Yes,
        }
    }
}

/// What the line itself says of its variables.
#[derive(Debug, Default)]
pub(super) struct Variables {
    known: BTreeMap<String, Vec<String>>,
    /// Set by the line, but to what cannot be told.
    opaque: Vec<String>,
}

impl Variables {
    /// Notes one more value that a variable may have.
    pub(super) fn set(&mut self, name: &str, value: &Argument) {
        if value.literal > Literal::Pattern {
            self.hide(name);
            return;
        }
        let values = self.known.entry(name.to_owned()).or_default();
        if values.len() < VALUES && !values.contains(&value.text) {
            values.push(value.text.clone());
        } else if values.len() >= VALUES {
            self.hide(name);
        }
    }

    /// Notes that a variable is set to what cannot be told.
    pub(super) fn hide(&mut self, name: &str) {
        if !self.opaque.iter().any(|known| known == name) {
            self.opaque.push(name.to_owned());
        }
    }

    fn is_hidden(&self, name: &str) -> bool {
        self.opaque.iter().any(|known| known == name)
            || self.known.get(name).is_some_and(|values| values.len() > 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Bare(char),
    Quoted(char),
    Split,
}

/// Folds words; counts what it costs.
pub(super) struct Folding<'a> {
    pub(super) variables: &'a Variables,
    pub(super) steps: &'a mut usize,
}

impl Folding<'_> {
    /// The arguments that a word becomes.
    pub(super) fn word(&mut self, word: &Word, into: &mut Vec<Argument>) {
        if let [Piece::Text(text, quoting)] = word.0.as_slice() {
            let plain = *quoting == Quoting::Quoted || !text.contains(['{', '*', '?', '[', '~']);
            if plain {
                *self.steps += text.len();
                into.push(Argument::known(text.clone()));
                return;
            }
        }
        let mut cells = Vec::new();
        let mut literal = Literal::Yes;
        self.cells(word, &mut cells, &mut literal);
        let mut all = Vec::new();
        if !self.open_braces(cells, &mut all, 0) {
            literal = literal.max(Literal::Variable);
        }
        let is_quoted = word.0.iter().any(|piece| match piece {
            Piece::Text(_, Quoting::Quoted) => true,
            Piece::Command(_, quoting) | Piece::Variable(_, quoting) => *quoting == Quoting::Quoted,
            Piece::Arithmetic(_) | Piece::Process(_) | Piece::Text(_, Quoting::Bare) => false,
        });
        for cells in all {
            for field in cells.split(|cell| *cell == Cell::Split) {
                if field.is_empty() && !is_quoted {
                    continue;
                }
                into.push(argument(field, literal));
            }
        }
    }

    /// One text, as an assignment or a redirect takes it.
    pub(super) fn text(&mut self, word: &Word) -> Argument {
        let mut cells = Vec::new();
        let mut literal = Literal::Yes;
        self.cells(word, &mut cells, &mut literal);
        argument(&cells, literal)
    }

    fn cells(&mut self, word: &Word, cells: &mut Vec<Cell>, literal: &mut Literal) {
        for piece in &word.0 {
            *self.steps += 1;
            match piece {
                Piece::Text(text, quoting) => {
                    *self.steps += text.len();
                    match quoting {
                        Quoting::Bare => cells.extend(text.chars().map(Cell::Bare)),
                        Quoting::Quoted => cells.extend(text.chars().map(Cell::Quoted)),
                    }
                }
                Piece::Variable(variable, quoting) => {
                    self.variable(variable, *quoting, cells, literal);
                }
                Piece::Command(list, _) => {
                    let how = if locates(list) {
                        Literal::Variable
                    } else {
                        Literal::Printed
                    };
                    *literal = (*literal).max(how);
                    cells.extend("$(…)".chars().map(Cell::Quoted));
                }
                Piece::Process(_) => {
                    *literal = (*literal).max(Literal::Variable);
                    cells.extend("<(…)".chars().map(Cell::Quoted));
                }
                Piece::Arithmetic(_) => {
                    *literal = (*literal).max(Literal::Variable);
                    cells.extend("$((…))".chars().map(Cell::Quoted));
                }
            }
        }
    }

    fn variable(
        &mut self,
        variable: &Variable,
        quoting: Quoting,
        cells: &mut Vec<Cell>,
        literal: &mut Literal,
    ) {
        let name = &variable.name;
        if *self.steps > super::STEPS {
            *literal = (*literal).max(Literal::Set);
            return;
        }
        let values = self.variables.known.get(name);
        if self.variables.is_hidden(name) {
            *literal = (*literal).max(Literal::Set);
        }
        match (variable.treatment, values) {
            (Treatment::AsIs | Treatment::Default, Some(values)) => {
                let before = cells.len();
                for (number, value) in values.iter().enumerate() {
                    *self.steps += value.len();
                    if number > 0 {
                        cells.push(Cell::Split);
                    }
                    cells.extend(value.chars().map(|letter| match quoting {
                        Quoting::Quoted => Cell::Quoted(letter),
                        Quoting::Bare if letter.is_whitespace() => Cell::Split,
                        Quoting::Bare => Cell::Quoted(letter),
                    }));
                }
                if cells.len() > WORD {
                    cells.truncate(before.max(WORD));
                    *literal = (*literal).max(Literal::Set);
                }
            }
            (Treatment::Default, None) => {
                *literal = (*literal).max(Literal::Variable);
                for word in &variable.inner {
                    self.cells(word, cells, literal);
                }
            }
            (Treatment::Other, _) | (Treatment::AsIs, None) => {
                *literal = (*literal).max(if values.is_some() {
                    Literal::Set
                } else {
                    Literal::Variable
                });
                if name == "IFS" && quoting == Quoting::Bare {
                    cells.push(Cell::Split);
                } else {
                    cells.push(Cell::Quoted('$'));
                    cells.extend(name.chars().map(Cell::Quoted));
                }
            }
        }
    }

    /// Opens `{a,b}` and `{a..c}`; false where there were too many to open.
    fn open_braces(&mut self, cells: Vec<Cell>, all: &mut Vec<Vec<Cell>>, depth: usize) -> bool {
        *self.steps += cells.len();
        let Some((start, end, choices)) = braces(&cells) else {
            all.push(cells);
            return true;
        };
        let opened = all.len() + choices.len();
        let is_too_much = depth >= BRACES
            || opened > OPENED
            || opened * cells.len() > CELLS
            || *self.steps > super::STEPS;
        if is_too_much {
            all.push(cells);
            return false;
        }
        let mut complete = true;
        for choice in choices {
            if *self.steps > super::STEPS {
                return false;
            }
            let mut one: Vec<Cell> = cells.get(..start).unwrap_or_default().to_vec();
            one.extend(choice);
            one.extend(cells.get(end + 1..).unwrap_or_default());
            complete &= all.len() <= OPENED && self.open_braces(one, all, depth + 1);
        }
        complete
    }
}

/// Whether commands only find out where a program or folder is.
fn locates(list: &[Pipeline]) -> bool {
    let [Pipeline { stages }] = list else {
        return false;
    };
    let [Stage::Simple(simple)] = stages.as_slice() else {
        return false;
    };
    let mut words = simple
        .words
        .iter()
        .take(2)
        .map(|word| word.plain().unwrap_or_default());
    let (program, first) = (words.next(), words.next());
    match (program.as_deref(), first.as_deref()) {
        (Some("which" | "realpath" | "dirname" | "pwd" | "nproc"), _) => true,
        (Some("command"), Some(flag)) => flag == "-v",
        (Some("go"), Some(sub)) => sub == "env",
        (Some("git"), Some(sub)) => sub == "rev-parse",
        (Some("brew"), Some(sub)) => sub == "--prefix",
        (Some(_) | None, _) => false,
    }
}

fn argument(cells: &[Cell], literal: Literal) -> Argument {
    let mut text = String::with_capacity(cells.len());
    let mut literal = literal;
    for cell in cells {
        match cell {
            Cell::Bare(letter) => {
                let is_home = *letter == '~' && text.is_empty();
                if is_home || matches!(letter, '*' | '?' | '[') {
                    literal = literal.max(Literal::Pattern);
                }
                text.push(*letter);
            }
            Cell::Quoted(letter) => text.push(*letter),
            Cell::Split => text.push(' '),
        }
    }
    // `[` by itself is the test program.
    if text == "[" && literal == Literal::Pattern {
        literal = Literal::Yes;
    }
    Argument { text, literal }
}

/// The first brace list that opens, with its choices.
fn braces(cells: &[Cell]) -> Option<(usize, usize, Vec<Vec<Cell>>)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        match cell {
            Cell::Bare('{') => open.push((at, Vec::new())),
            Cell::Bare(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            Cell::Bare('}') => {
                let Some((start, commas)) = open.pop() else {
                    continue;
                };
                let inside = cells.get(start + 1..at).unwrap_or_default();
                if !commas.is_empty() {
                    let choices = inside
                        .iter()
                        .zip(start + 1..)
                        .collect::<Vec<_>>()
                        .split(|(_, place)| commas.contains(place))
                        .map(|part| part.iter().map(|(cell, _)| **cell).collect())
                        .collect();
                    return Some((start, at, choices));
                }
                if let Some(choices) = sequence(inside) {
                    return Some((start, at, choices));
                }
            }
            Cell::Bare(_) | Cell::Quoted(_) | Cell::Split => {}
        }
    }
    None
}

/// `a..c`: one letter to another; numbers make no word that matters, so they open to one of them.
fn sequence(inside: &[Cell]) -> Option<Vec<Vec<Cell>>> {
    let text: String = inside
        .iter()
        .map(|cell| match cell {
            Cell::Bare(letter) => *letter,
            Cell::Quoted(_) | Cell::Split => ' ',
        })
        .collect();
    let (from, to) = text.split_once("..")?;
    let (from, to) = (from.chars().next()?, to.chars().next()?);
    if !(from.is_ascii_alphanumeric() && to.is_ascii_alphanumeric()) {
        return None;
    }
    let (low, high) = if from <= to { (from, to) } else { (to, from) };
    Some(
        (low..=high)
            .map(|letter| vec![Cell::Bare(letter)])
            .collect(),
    )
}

const VALUES: usize = 4;
const WORD: usize = 4096;
const BRACES: usize = 6;
const OPENED: usize = 64;
const CELLS: usize = 64 * 1024;
