//! What is one word made of? Quotes, variables, substitutions and here-documents.

use super::parse::{Reader, Trouble, is_end, is_name};
use super::tree::{Piece, Quoting, Treatment, Variable, Word};

impl Word {
    /// The word, if it is nothing but text.
    pub(super) fn plain(&self) -> Option<String> {
        let mut plain = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text, _) => plain.push_str(text),
                Piece::Arithmetic(_)
                | Piece::Command(..)
                | Piece::Process(_)
                | Piece::Variable(..) => return None,
            }
        }
        Some(plain)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn word(&mut self) -> Result<Word, Trouble> {
        let start = self.at;
        let word = self.word_or_nothing()?;
        if self.at == start {
            return Err("a word is missing");
        }
        Ok(word)
    }

    pub(super) fn word_or_nothing(&mut self) -> Result<Word, Trouble> {
        let mut word = Word::default();
        loop {
            match self.peek(0) {
                None => return Ok(word),
                Some('<' | '>') if word.0.is_empty() && self.peek(1) == Some('(') => {
                    self.at += 2;
                    let list = self.nested()?;
                    word.0.push(Piece::Process(list));
                }
                Some(letter) if is_end(letter) => return Ok(word),
                Some('\\') if self.peek(1) == Some('\n') => {
                    self.at += 2;
                    let goes_on = self.peek(0).is_some_and(|letter| !is_end(letter));
                    self.is_split |= goes_on && !word.0.is_empty();
                }
                Some(_) => self.piece(&mut word)?,
            }
        }
    }

    /// Everything up to the closing sign, which is read too; blanks and operators are text here.
    pub(super) fn until(&mut self, close: char) -> Result<Word, Trouble> {
        self.deeper()?;
        let mut word = Word::default();
        loop {
            match self.peek(0) {
                None => return Err("a bracket is not closed"),
                Some(letter) if letter == close => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(word);
                }
                Some(_) => self.piece(&mut word)?,
            }
        }
    }

    /// Arithmetic up to its end: no command but what is substituted in it.
    pub(super) fn arithmetic(&mut self, close: &str) -> Result<Word, Trouble> {
        self.deeper()?;
        let mut word = Word::default();
        let mut open = 0_usize;
        loop {
            match self.peek(0) {
                None => return Err("arithmetic is not closed"),
                Some(_) if open == 0 && self.eat(close) => {
                    self.depth -= 1;
                    return Ok(word);
                }
                Some('(') => open += 1,
                Some(')') => open = open.checked_sub(1).ok_or("arithmetic is not closed")?,
                Some('\n') => return Err("arithmetic is not closed"),
                Some(_) => {
                    self.piece(&mut word)?;
                    continue;
                }
            }
            self.at += 1;
        }
    }

    fn piece(&mut self, word: &mut Word) -> Result<(), Trouble> {
        let letter = self.peek(0).ok_or("a word is missing")?;
        self.at += 1;
        match letter {
            '\\' => {
                let next = self.peek(0).ok_or("it ends in the middle of a word")?;
                self.at += 1;
                if next != '\n' {
                    word.push(next, Quoting::Quoted);
                }
            }
            '\'' => {
                let run = self.run(|letter| letter != '\'');
                word.0.push(Piece::Text(String::new(), Quoting::Quoted));
                word.push_all(run, Quoting::Quoted);
                self.need("'").map_err(|_| "a quote is not closed")?;
            }
            '"' => self.double(word)?,
            '$' if self.eat("'") => self.decoded(word)?,
            '$' if self.eat("\"") => self.double(word)?,
            '$' => self.dollar(word, Quoting::Bare)?,
            '`' => self.backquote(word, Quoting::Bare)?,
            _ => {
                self.at -= 1;
                let run = self.run(is_plain);
                if run.is_empty() {
                    self.at += 1;
                    word.push(letter, Quoting::Bare);
                } else {
                    word.push_all(run, Quoting::Bare);
                }
            }
        }
        Ok(())
    }

    /// The letters from here on that are so, read.
    fn run(&mut self, is_so: impl Fn(char) -> bool) -> &'a [char] {
        let rest = self.letters.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|letter| is_so(**letter)).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Trouble> {
        word.0.push(Piece::Text(String::new(), Quoting::Quoted));
        loop {
            let letter = self.peek(0).ok_or("a quote is not closed")?;
            if letter == '"' {
                self.at += 1;
                return Ok(());
            }
            self.quoted(word, &['$', '`', '"', '\\'])?;
        }
    }

    /// One piece of a double quote or a here-document.
    pub(super) fn quoted(&mut self, word: &mut Word, escapes: &[char]) -> Result<(), Trouble> {
        let letter = self.peek(0).ok_or("a quote is not closed")?;
        self.at += 1;
        match letter {
            '\\' => match self.peek(0) {
                Some('\n') => self.at += 1,
                Some(next) if escapes.contains(&next) => {
                    self.at += 1;
                    word.push(next, Quoting::Quoted);
                }
                Some(_) | None => word.push('\\', Quoting::Quoted),
            },
            '$' => self.dollar(word, Quoting::Quoted)?,
            '`' => self.backquote(word, Quoting::Quoted)?,
            _ => {
                self.at -= 1;
                let run = self.run(|letter| !matches!(letter, '$' | '`' | '"' | '\\'));
                if run.is_empty() {
                    self.at += 1;
                    word.push(letter, Quoting::Quoted);
                } else {
                    word.push_all(run, Quoting::Quoted);
                }
            }
        }
        Ok(())
    }

    /// `$'…'`.
    fn decoded(&mut self, word: &mut Word) -> Result<(), Trouble> {
        let mut raw = String::new();
        loop {
            let letter = self.peek(0).ok_or("a quote is not closed")?;
            self.at += 1;
            match letter {
                '\'' => break,
                '\\' => {
                    raw.push('\\');
                    raw.extend(self.peek(0));
                    self.at += 1;
                }
                _ => raw.push(letter),
            }
        }
        word.0
            .push(Piece::Text(super::escape::decode(&raw), Quoting::Quoted));
        Ok(())
    }

    /// After a `$`.
    fn dollar(&mut self, word: &mut Word, quoting: Quoting) -> Result<(), Trouble> {
        if self.eat("((") {
            let inner = self.arithmetic("))")?;
            word.0.push(Piece::Arithmetic(inner));
        } else if self.eat("[") {
            let inner = self.arithmetic("]")?;
            word.0.push(Piece::Arithmetic(inner));
        } else if self.eat("(") {
            let list = self.nested()?;
            word.0.push(Piece::Command(list, quoting));
        } else if self.eat("{") {
            let variable = self.braced()?;
            word.0.push(Piece::Variable(variable, quoting));
        } else {
            let name = self.name();
            if name.is_empty() {
                word.push('$', quoting);
            } else {
                let variable = Variable {
                    name,
                    treatment: Treatment::AsIs,
                    inner: Vec::new(),
                };
                word.0.push(Piece::Variable(variable, quoting));
            }
        }
        Ok(())
    }

    fn nested(&mut self) -> Result<super::tree::List, Trouble> {
        // Where the body of a here-document would begin then differs from shell to shell.
        if !self.waiting.is_empty() {
            return Err("a here-document is mixed with a substitution");
        }
        self.deeper()?;
        let list = self.list()?;
        self.need(")")?;
        self.depth -= 1;
        if !self.waiting.is_empty() {
            return Err("a here-document does not end");
        }
        Ok(list)
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        match self.peek(0) {
            Some(letter) if letter.is_ascii_digit() || SPECIAL.contains(&letter) => {
                self.at += 1;
                name.push(letter);
            }
            Some(_) | None => {
                while let Some(letter) = self.peek(0).filter(|letter| is_name(*letter)) {
                    name.push(letter);
                    self.at += 1;
                }
            }
        }
        name
    }

    /// After `${`.
    fn braced(&mut self) -> Result<Variable, Trouble> {
        let mut treatment = Treatment::AsIs;
        if matches!(self.peek(0), Some('!' | '#')) && self.peek(1) != Some('}') {
            self.at += 1;
            treatment = Treatment::Other;
        }
        let mut name = self.name();
        if name.starts_with(|letter: char| letter.is_ascii_digit()) {
            while let Some(letter) = self.peek(0).filter(char::is_ascii_digit) {
                name.push(letter);
                self.at += 1;
            }
        }
        let mut inner = Vec::new();
        if self.eat("[") {
            inner.push(self.until(']')?);
        }
        match self.peek(0) {
            _ if name.is_empty() => return Err("an operator hides inside ${ }"),
            Some('}') => {}
            Some(':' | '-' | '=' | '+' | '?') => {
                let is_default = matches!(
                    (self.peek(0), self.peek(1)),
                    (Some(':'), Some('-' | '=' | '+' | '?')) | (Some('-' | '=' | '+' | '?'), _)
                );
                if treatment == Treatment::AsIs && is_default {
                    treatment = Treatment::Default;
                    self.eat(":");
                } else {
                    treatment = Treatment::Other;
                }
                self.at += 1;
            }
            Some('#' | '%' | '/' | '^' | ',' | '@' | '*') => {
                treatment = Treatment::Other;
                self.at += 1;
            }
            Some(_) | None => return Err("an operator hides inside ${ }"),
        }
        inner.push(self.until('}')?);
        Ok(Variable {
            name,
            treatment,
            inner,
        })
    }

    fn backquote(&mut self, word: &mut Word, quoting: Quoting) -> Result<(), Trouble> {
        let mut text = Vec::new();
        loop {
            let letter = self.peek(0).ok_or("a quote is not closed")?;
            self.at += 1;
            match letter {
                '`' => break,
                '\\' => match self.peek(0) {
                    Some(next @ ('`' | '\\' | '$')) => {
                        self.at += 1;
                        if next == '$' {
                            text.push('\\');
                        }
                        text.push(next);
                    }
                    Some(_) | None => text.push('\\'),
                },
                _ => text.push(letter),
            }
        }
        self.deeper()?;
        let list = self.apart(&text, |inner| {
            let list = inner.list()?;
            (inner.is_done() && inner.waiting.is_empty())
                .then_some(list)
                .ok_or("a quote is not closed")
        })?;
        self.depth -= 1;
        word.0.push(Piece::Command(list, quoting));
        Ok(())
    }
}

/// Letters that mean themselves wherever they stand.
fn is_plain(letter: char) -> bool {
    let sign = matches!(
        letter,
        '-' | '_' | '.' | '/' | '=' | ',' | ':' | '@' | '%' | '+'
    );
    sign || letter.is_alphanumeric()
}

const SPECIAL: [char; 7] = ['@', '*', '#', '?', '-', '$', '!'];
