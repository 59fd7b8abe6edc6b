//! How is a command line built? One pass, one step per character, no way back; what it cannot read
//! with certainty is an error, and an error is dangerous.

use super::tree::{
    Assignment, Group, List, Pipeline, Quoting, Redirect, RedirectKind, Shape, Simple, Stage, Word,
};

/// The longest line that is read, in bytes.
pub const LINE_BYTES: usize = 16 * 1024;
/// How deep groups, substitutions and quotes may nest.
pub const DEPTH: usize = 12;

/// A line that was read.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) list: List,
    /// The bodies of here-documents.
    pub(super) bodies: Vec<Word>,
    /// Whether a line break is hidden inside a word.
    pub(super) is_split: bool,
}

/// Why a line is not read.
pub(super) type Trouble = &'static str;

/// Reads a line.
pub(super) fn parse(line: &str, depth: usize) -> Result<Script, Trouble> {
    if line.len() > LINE_BYTES {
        return Err("it is too long to judge");
    }
    let mut letters = Vec::with_capacity(line.len());
    letters.extend(line.chars());
    let mut reader = Reader::new(&letters, depth);
    let list = reader.list()?;
    if !reader.is_done() || !reader.waiting.is_empty() {
        return Err("it does not end where it should");
    }
    Ok(Script {
        list,
        bodies: reader.bodies,
        is_split: reader.is_split,
    })
}

pub(super) struct Reader<'a> {
    pub(super) letters: &'a [char],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) bodies: Vec<Word>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) is_split: bool,
}

/// A here-document whose body begins on the next line.
pub(super) struct Waiting {
    pub(super) number: usize,
    pub(super) end: String,
    pub(super) quoting: Quoting,
    pub(super) tabs: Tabs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tabs {
    Kept,
    Stripped,
}

impl<'a> Reader<'a> {
    pub(super) fn new(letters: &'a [char], depth: usize) -> Self {
        Self {
            letters,
            at: 0,
            depth,
            bodies: Vec::new(),
            waiting: Vec::new(),
            is_split: false,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.letters.len()
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    pub(super) fn sees(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, letter)| self.peek(ahead) == Some(letter))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let sees = self.sees(text);
        if sees {
            self.at += text.chars().count();
        }
        sees
    }

    pub(super) fn need(&mut self, text: &str) -> Result<(), Trouble> {
        self.eat(text).then_some(()).ok_or("something is missing")
    }

    pub(super) fn deeper(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("it is nested too deeply to judge");
        }
        Ok(())
    }

    /// Commands up to the end or to what closes the group around them, which stays unread.
    pub(super) fn list(&mut self) -> Result<List, Trouble> {
        let mut list = Vec::new();
        loop {
            self.skip_lines()?;
            if self.is_done()
                || self.sees(")")
                || self.sees(";;")
                || self.sees(";&")
                || self.keyword().is_some_and(|word| CLOSERS.contains(&word))
            {
                return Ok(list);
            }
            loop {
                list.push(self.pipeline()?);
                self.skip_blanks();
                if !(self.eat("&&") || self.eat("||")) {
                    break;
                }
                self.skip_lines()?;
            }
            if self.is_done() || self.sees(")") || self.sees(";;") || self.sees(";&") {
                return Ok(list);
            }
            if !(self.eat(";") || self.eat("&") || self.sees("\n")) {
                return Err("two commands are not told apart");
            }
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, Trouble> {
        let mut stages = Vec::new();
        loop {
            self.skip_blanks();
            while let Some(word @ ("!" | "time")) = self.keyword() {
                self.at += word.len();
                self.skip_blanks();
                if word == "time" && self.keyword() == Some("-p") {
                    self.at += 2;
                    self.skip_blanks();
                }
            }
            stages.push(self.stage()?);
            self.skip_blanks();
            if self.sees("||") || !(self.eat("|&") || self.eat("|")) {
                return Ok(Pipeline { stages });
            }
            self.skip_lines()?;
        }
    }

    fn stage(&mut self) -> Result<Stage, Trouble> {
        let start = self.at;
        let compound = self.compound()?;
        match compound {
            Some(mut group) => {
                while let Some(redirect) = self.redirect()? {
                    group.redirects.push(redirect);
                }
                Ok(Stage::Group(group))
            }
            None => {
                self.at = start;
                self.simple()
            }
        }
    }

    /// One command as a list of its own.
    pub(super) fn one(&mut self) -> Result<Pipeline, Trouble> {
        self.deeper()?;
        let stages = vec![self.stage()?];
        self.depth -= 1;
        Ok(Pipeline { stages })
    }

    fn simple(&mut self) -> Result<Stage, Trouble> {
        let mut simple = Simple::default();
        loop {
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek(0) {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                Some('(') => {
                    let [name] = simple.words.as_slice() else {
                        return Err("a bracket stands where none may");
                    };
                    let name = name.plain().ok_or("a function has no plain name")?;
                    self.at += 1;
                    self.skip_blanks();
                    self.need(")")?;
                    return self.function(name).map(Stage::Group);
                }
                Some(_) => {}
            }
            match self.assignment(&simple.words)? {
                Some(assignment) => simple.assignments.push(assignment),
                None => simple.words.push(self.word()?),
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return Err("a command is missing");
        }
        Ok(Stage::Simple(simple))
    }

    /// `NAME=value` before the command, or `NAME=(…)` anywhere.
    fn assignment(&mut self, before: &[Word]) -> Result<Option<Assignment>, Trouble> {
        let start = self.at;
        let is_first = before.is_empty();
        let rest = self.letters.get(start..).unwrap_or_default();
        let name = rest.iter().take_while(|letter| is_name(**letter)).count();
        let begins = rest.first().is_some_and(|letter| !letter.is_ascii_digit());
        let goes_on = matches!(rest.get(name), Some('=' | '+' | '['));
        if name == 0 || !begins || !goes_on {
            return Ok(None);
        }
        self.at += name;
        let name: String = rest.iter().take(name).collect();
        let mut values = Vec::new();
        if is_first && self.eat("[") {
            values.push(self.until(']')?);
            if !(self.sees("=") || self.sees("+=")) {
                return Err("a pattern stands where a command should");
            }
        }
        let is_assigned = self.eat("=") || self.eat("+=");
        if !is_assigned || (!is_first && !self.sees("(")) {
            self.at = start;
            return Ok(None);
        }
        if self.eat("(") {
            loop {
                self.skip_lines()?;
                if self.eat(")") {
                    break;
                }
                values.push(self.word()?);
            }
        } else {
            values.push(self.word_or_nothing()?);
        }
        Ok(Some(Assignment { name, values }))
    }

    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Trouble> {
        self.skip_blanks();
        if !matches!(self.peek(0), Some('<' | '>' | '&' | '0'..='9')) {
            return Ok(None);
        }
        let start = self.at;
        while self.peek(0).is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        if self.sees("<(") || self.sees(">(") {
            self.at = start;
            return Ok(None);
        }
        let found = if self.at == start {
            REDIRECTS.iter().find(|(sign, _)| self.sees(sign))
        } else {
            REDIRECTS
                .iter()
                .find(|(sign, _)| !sign.starts_with('&') && self.sees(sign))
        };
        let Some((sign, kind)) = found else {
            self.at = start;
            return Ok(None);
        };
        self.at += sign.len();
        self.skip_blanks();
        if *sign == "<<" || *sign == "<<-" {
            let tabs = if *sign == "<<" {
                Tabs::Kept
            } else {
                Tabs::Stripped
            };
            return self.here(tabs).map(Some);
        }
        let target = self.word()?;
        Ok(Some(Redirect {
            kind: *kind,
            target,
        }))
    }

    /// A keyword or other bare word at this very place, unread.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let length = (0..=KEYWORD_LETTERS).find(|ahead| self.peek(*ahead).is_none_or(is_end))?;
        KEYWORDS
            .into_iter()
            .find(|word| word.len() == length && self.sees(word))
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek(1) == Some('\n') => self.at += 2,
                Some('#') if self.begins_word() => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                Some(_) | None => return,
            }
        }
    }

    fn begins_word(&self) -> bool {
        self.at
            .checked_sub(1)
            .and_then(|before| self.letters.get(before))
            .is_none_or(|letter| is_end(*letter))
    }

    /// Blanks, comments, line ends and the here-documents that begin after them.
    pub(super) fn skip_lines(&mut self) -> Result<(), Trouble> {
        loop {
            self.skip_blanks();
            if !self.eat("\n") {
                return Ok(());
            }
            self.read_bodies()?;
        }
    }

    fn function(&mut self, name: String) -> Result<Group, Trouble> {
        self.skip_lines()?;
        let mut body = self.compound()?.ok_or("a function has no body")?;
        body.shape = Shape::Function(name);
        Ok(body)
    }

    /// After the word `function`.
    pub(super) fn named_function(&mut self) -> Result<Group, Trouble> {
        self.skip_blanks();
        let name = self.word()?.plain().ok_or("a function has no plain name")?;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.need(")")?;
        }
        self.function(name)
    }
}

pub(super) fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Whether a bare word ends before this letter.
pub(super) fn is_end(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
    )
}

const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "else", "elif", "esac", "}"];

const KEYWORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "while", "until", "for", "select", "do", "done", "case",
    "esac", "in", "function", "coproc", "{", "}", "[[", "!", "time", "-p",
];

/// As many letters as the longest of them.
const KEYWORD_LETTERS: usize = 8;

/// Longer signs first.
const REDIRECTS: [(&str, RedirectKind); 12] = [
    ("<<<", RedirectKind::HereString),
    ("<<-", RedirectKind::HereDocument(0)),
    ("<<", RedirectKind::HereDocument(0)),
    ("<>", RedirectKind::Both),
    ("<&", RedirectKind::Copy),
    ("<", RedirectKind::Read),
    ("&>>", RedirectKind::Append),
    ("&>", RedirectKind::Write),
    (">>", RedirectKind::Append),
    (">|", RedirectKind::Write),
    (">&", RedirectKind::Copy),
    (">", RedirectKind::Write),
];
