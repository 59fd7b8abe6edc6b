//! What stands in a loop, a condition, a group or a test?

use super::parse::{Reader, Trouble};
use super::tree::{Group, List, Shape, Word};

impl Reader<'_> {
    /// The compound command that begins here; none where a simple one does.
    pub(super) fn compound(&mut self) -> Result<Option<Group>, Trouble> {
        self.deeper()?;
        let group = self.compound_inside();
        self.depth -= 1;
        group
    }

    fn compound_inside(&mut self) -> Result<Option<Group>, Trouble> {
        if self.eat("((") {
            let words = vec![self.arithmetic("))")?];
            return Ok(Some(group(Shape::Other, Vec::new(), words)));
        }
        if self.eat("(") {
            let list = self.list()?;
            self.need(")")?;
            return Ok(Some(group(Shape::Plain, vec![list], Vec::new())));
        }
        let Some(word) = self.keyword() else {
            return Ok(None);
        };
        self.at += word.len();
        let found = match word {
            "{" => group(Shape::Plain, vec![self.list_to("}")?], Vec::new()),
            "if" => self.condition()?,
            "while" | "until" => {
                let lists = vec![self.list_to("do")?, self.list_to("done")?];
                group(Shape::Other, lists, Vec::new())
            }
            "for" | "select" => self.each()?,
            "case" => self.case()?,
            "[[" => self.test()?,
            "function" => self.named_function()?,
            "coproc" => self.coprocess()?,
            "in" | "-p" => {
                self.at -= word.len();
                return Ok(None);
            }
            _ => return Err("a keyword stands where none may"),
        };
        Ok(Some(found))
    }

    fn list_to(&mut self, word: &str) -> Result<List, Trouble> {
        let list = self.list()?;
        if list.is_empty() || self.keyword() != Some(word) {
            return Err("a loop or a condition is not closed");
        }
        self.at += word.len();
        Ok(list)
    }

    fn condition(&mut self) -> Result<Group, Trouble> {
        let mut lists = vec![self.list_to("then")?];
        loop {
            lists.push(self.list()?);
            let word = self.keyword().ok_or("a condition is not closed")?;
            self.at += word.len();
            match word {
                "fi" => return Ok(group(Shape::Other, lists, Vec::new())),
                "else" => {
                    lists.push(self.list_to("fi")?);
                    return Ok(group(Shape::Other, lists, Vec::new()));
                }
                "elif" => lists.push(self.list_to("then")?),
                _ => return Err("a condition is not closed"),
            }
        }
    }

    fn each(&mut self) -> Result<Group, Trouble> {
        self.skip_blanks();
        if self.eat("((") {
            let words = vec![self.arithmetic("))")?];
            self.skip_blanks();
            self.eat(";");
            let list = self.body()?;
            return Ok(group(Shape::Other, vec![list], words));
        }
        let name = self.word()?.plain().ok_or("a loop has no plain name")?;
        self.skip_lines()?;
        let mut words = Vec::new();
        if self.keyword() == Some("in") {
            self.at += 2;
            loop {
                self.skip_blanks();
                if matches!(self.peek(0), None | Some(';' | '\n')) {
                    break;
                }
                words.push(self.word()?);
            }
        }
        self.skip_blanks();
        self.eat(";");
        let list = self.body()?;
        Ok(group(Shape::Each(name), vec![list], words))
    }

    fn body(&mut self) -> Result<List, Trouble> {
        self.skip_lines()?;
        match self.keyword() {
            Some("do") => {
                self.at += 2;
                self.list_to("done")
            }
            Some(_) | None => Err("a loop has no body"),
        }
    }

    fn case(&mut self) -> Result<Group, Trouble> {
        self.skip_blanks();
        let mut words = vec![self.word()?];
        self.skip_lines()?;
        if self.keyword() != Some("in") {
            return Err("a case is not closed");
        }
        self.at += 2;
        let mut lists = Vec::new();
        loop {
            self.skip_lines()?;
            if self.keyword() == Some("esac") {
                self.at += 4;
                return Ok(group(Shape::Other, lists, words));
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                words.push(self.word()?);
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.need(")")?;
            lists.push(self.list()?);
            let closed = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            if !closed && self.keyword() != Some("esac") {
                return Err("a case is not closed");
            }
        }
    }

    /// `[[ … ]]`: only its words matter, for what stands in them.
    fn test(&mut self) -> Result<Group, Trouble> {
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat("]]") {
                return Ok(group(Shape::Other, Vec::new(), words));
            }
            match self.peek(0) {
                None => return Err("a test is not closed"),
                Some('&' | '|' | '(' | ')' | '<' | '>') => {
                    if self.sees("<(") || self.sees(">(") {
                        words.push(self.word()?);
                    } else {
                        self.at += 1;
                    }
                }
                Some(';') => return Err("a test is not closed"),
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn coprocess(&mut self) -> Result<Group, Trouble> {
        self.skip_blanks();
        let start = self.at;
        // `coproc NAME { … }` and `coproc command …`; a name before a group is of no matter.
        if self.keyword().is_none() && !self.sees("(") {
            let _name = self.word()?;
            self.skip_blanks();
            if !(self.sees("(") || self.keyword() == Some("{")) {
                self.at = start;
            }
        }
        let list = vec![self.one()?];
        Ok(group(Shape::Other, vec![list], Vec::new()))
    }
}

fn group(shape: Shape, lists: Vec<List>, words: Vec<Word>) -> Group {
    Group {
        shape,
        lists,
        words,
        redirects: Vec::new(),
    }
}
