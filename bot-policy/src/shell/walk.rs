//! What does each simple command of a line do, and what flows from one into the next?

use std::rc::Rc;

use super::fold::{Argument, Folding, Literal, Variables};
use super::tree::{Group, Piece, Redirect, RedirectKind, Shape, Simple, Stage, Word};

use super::{
    Denylist, Finding, FolderTrust, Immune, Judged, Kind, ReadOnly, STEPS, SimpleCommand, Stays,
    arguments, immune, parse, redirect, system,
};

/// What a command gets as its input, or gives as its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Decoded,
    Download,
    Environment,
    File,
    Nothing,
    Other,
    Secret,
    Text(Rc<str>),
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scene {
    /// In `$( )` or backquotes.
    Substitution,
    /// In `<( )` or `>( )`.
    Process,
    Top,
}

pub(super) struct Judge<'a> {
    pub(super) findings: Vec<Finding>,
    pub(super) why_not: Option<&'static str>,
    /// Files that this line fetches.
    pub(super) fetched: Vec<String>,
    pub(super) commands: Vec<SimpleCommand>,
    pub(super) redirected: Vec<Argument>,
    pub(super) stays: Stays,
    pub(super) steps: usize,
    pub(super) variables: Variables,
    pub(super) has_assigned: bool,
    pub(super) depth: usize,
    pub(super) denylist: &'a Denylist,
    pub(super) folder: FolderTrust,
}

pub(super) fn judge(line: &str, denylist: &Denylist, folder: FolderTrust) -> Judged {
    let mut judge = Judge {
        findings: Vec::new(),
        why_not: None,
        fetched: Vec::new(),
        commands: Vec::new(),
        redirected: Vec::new(),
        stays: Stays::Here,
        steps: 0,
        variables: Variables::default(),
        has_assigned: false,
        depth: 0,
        denylist,
        folder,
    };
    if let Some(pattern) = denylist.matching(
        line.get(..line.len().min(parse::LINE_BYTES))
            .unwrap_or(line),
    ) {
        let because = format!("the denylist pattern \"{pattern}\" matches");
        judge.find(Kind::Denylisted, Immune::No, because);
    }
    if line.len() > parse::LINE_BYTES {
        judge.find(Kind::TooMuch, Immune::No, "it is too long to judge");
    } else {
        judge.find_all(immune::letters(line));
        judge.line(line, &Flow::Nothing, Scene::Top);
    }
    if judge.commands.is_empty() {
        judge.not_reading("it runs no program");
    }
    let read_only = match judge.why_not {
        None if judge.findings.is_empty() => ReadOnly::Proven,
        None => ReadOnly::No("it is dangerous or asks every time"),
        Some(why) => ReadOnly::No(why),
    };
    Judged {
        findings: judge.findings,
        read_only,
        commands: judge.commands,
        redirected: judge.redirected,
        stays: judge.stays,
        steps: judge.steps,
    }
}

impl Judge<'_> {
    pub(super) fn find(&mut self, kind: Kind, immune: Immune, because: impl Into<String>) {
        let is_new = self
            .findings
            .iter()
            .all(|finding| (finding.kind, finding.immune) != (kind, immune));
        if is_new {
            self.findings.push(Finding {
                kind,
                immune,
                because: because.into(),
            });
        }
    }

    pub(super) fn find_all(&mut self, findings: impl IntoIterator<Item = (Kind, Immune, String)>) {
        for (kind, immune, because) in findings {
            self.find(kind, immune, because);
        }
    }

    pub(super) fn not_reading(&mut self, why: &'static str) {
        self.why_not.get_or_insert(why);
    }

    /// Whether the budget still lasts; if not, the line is dangerous.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.steps += steps;
        let lasts = self.steps <= STEPS && self.depth <= parse::DEPTH;
        if !lasts {
            self.find(Kind::TooMuch, Immune::No, "it costs too much to judge");
        }
        lasts
    }

    /// Judges a line: the one that was given, or one for a shell inside it.
    pub(super) fn line(&mut self, line: &str, input: &Flow, scene: Scene) -> Flow {
        if !self.spend(line.len()) {
            return Flow::Other;
        }
        let script = match parse::parse(line, self.depth) {
            Ok(script) => script,
            Err(why) => {
                self.find(Kind::Unreadable, Immune::No, why);
                return Flow::Other;
            }
        };
        if script.is_split {
            self.find(
                Kind::Obscured,
                Immune::No,
                "a line break is hidden inside a word",
            );
        }
        self.steps += script.list.len();
        super::variables::collect(self, &script.list);
        self.list(&script.list, &script.bodies, input, scene)
    }

    fn list(
        &mut self,
        list: &[super::tree::Pipeline],
        bodies: &[Word],
        input: &Flow,
        scene: Scene,
    ) -> Flow {
        self.depth += 1;
        let mut given = Flow::Nothing;
        if self.spend(1) {
            for pipeline in list {
                let mut flow = input.clone();
                for stage in &pipeline.stages {
                    if !self.spend(1) {
                        break;
                    }
                    flow = match stage {
                        Stage::Simple(simple) => self.simple(simple, bodies, &flow, scene),
                        Stage::Group(group) => self.group(group, bodies, &flow, scene),
                    };
                }
                given = worse(given, flow);
            }
        }
        self.depth -= 1;
        given
    }

    fn group(&mut self, group: &Group, bodies: &[Word], input: &Flow, scene: Scene) -> Flow {
        match &group.shape {
            Shape::Plain => {}
            Shape::Function(name) => {
                self.not_reading("it defines a function");
                self.bomb(name, group);
            }
            Shape::Each(_) | Shape::Other => self.not_reading("it has a loop or a condition"),
        }
        for word in &group.words {
            self.inside(word, bodies);
        }
        let input = self.redirects(&group.redirects, bodies, input.clone());
        let mut given = Flow::Nothing;
        for list in &group.lists {
            given = worse(given, self.list(list, bodies, &input, scene));
        }
        given
    }

    /// A function that pipes itself into itself.
    fn bomb(&mut self, name: &str, group: &Group) {
        let calls = |stage: &Stage| match stage {
            Stage::Simple(simple) => simple
                .words
                .first()
                .and_then(Word::plain)
                .is_some_and(|called| called == name),
            Stage::Group(_) => false,
        };
        let is_bomb = group
            .lists
            .iter()
            .flatten()
            .any(|pipeline| pipeline.stages.len() > 1 && pipeline.stages.iter().any(calls));
        if is_bomb {
            self.find(
                Kind::Bomb,
                Immune::No,
                "a function starts itself again and again",
            );
        }
    }

    /// What runs inside a word.
    fn inside(&mut self, word: &Word, bodies: &[Word]) {
        for piece in &word.0 {
            match piece {
                Piece::Text(..) => {}
                Piece::Arithmetic(inner) => self.inside(inner, bodies),
                Piece::Variable(variable, _) => {
                    for inner in &variable.inner {
                        self.inside(inner, bodies);
                    }
                }
                Piece::Command(list, _) => {
                    self.list(list, bodies, &Flow::Nothing, Scene::Substitution);
                }
                Piece::Process(list) => {
                    self.list(list, bodies, &Flow::Other, Scene::Process);
                }
            }
        }
    }

    pub(super) fn text(&mut self, word: &Word) -> Argument {
        Folding {
            variables: &self.variables,
            steps: &mut self.steps,
        }
        .text(word)
    }

    pub(super) fn fold(&mut self, words: &[Word]) -> Vec<Argument> {
        let mut folded = Vec::with_capacity(words.len());
        for word in words {
            if self.spend(1) {
                Folding {
                    variables: &self.variables,
                    steps: &mut self.steps,
                }
                .word(word, &mut folded);
            }
        }
        folded
    }

    fn redirects(&mut self, redirects: &[Redirect], bodies: &[Word], input: Flow) -> Flow {
        let mut input = input;
        for redirect in redirects {
            self.inside(&redirect.target, bodies);
            let target = self.text(&redirect.target);
            match redirect.kind {
                RedirectKind::HereDocument(number) => {
                    if let Some(body) = bodies.get(number) {
                        self.inside(body, bodies);
                        input = as_flow(self.text(body));
                    }
                }
                RedirectKind::HereString => input = as_flow(target),
                RedirectKind::Read => {
                    if redirect::read(self, &target) {
                        input = Flow::Secret;
                    } else if input == Flow::Nothing {
                        input = Flow::File;
                    }
                    self.opened(target);
                }
                RedirectKind::Append
                | RedirectKind::Both
                | RedirectKind::Copy
                | RedirectKind::Write => {
                    redirect::written(self, redirect.kind, &target);
                    self.opened(target);
                }
            }
        }
        input
    }

    /// Takes note of a file that a redirect opens.
    fn opened(&mut self, target: Argument) {
        self.names(&target.text);
        self.redirected.push(target);
    }

    /// Takes note of a file that is named.
    pub(super) fn names(&mut self, file: &str) {
        if arguments::leaves(file) {
            self.stays = Stays::Elsewhere;
        }
    }

    fn simple(&mut self, simple: &Simple, bodies: &[Word], input: &Flow, scene: Scene) -> Flow {
        for assignment in &simple.assignments {
            for value in &assignment.values {
                self.inside(value, bodies);
            }
            system::assigned(self, &assignment.name);
        }
        for word in &simple.words {
            self.inside(word, bodies);
        }
        let input = self.redirects(&simple.redirects, bodies, input.clone());
        let folded = self.fold(&simple.words);
        let Some(first) = folded.first() else {
            self.not_reading("it runs no program");
            self.has_assigned |= !simple.assignments.is_empty();
            redirect::emptied(self, &simple.redirects);
            return Flow::Nothing;
        };
        if !simple.assignments.is_empty() {
            self.not_reading("it sets a variable");
        }
        redirect::around(self, &first.text, &folded, &simple.redirects);
        let given = self.command(folded, &input, scene);
        if given == Flow::Download {
            for redirect in &simple.redirects {
                if matches!(redirect.kind, RedirectKind::Append | RedirectKind::Write) {
                    let target = self.text(&redirect.target);
                    self.fetched.push(target.text);
                }
            }
        }
        given
    }
}

fn as_flow(text: Argument) -> Flow {
    if text.literal <= Literal::Pattern {
        Flow::Text(text.text.into())
    } else {
        Flow::Other
    }
}

/// Of two outputs, the one that is worse to run.
pub(super) fn worse(one: Flow, other: Flow) -> Flow {
    let rank = |flow: &Flow| match flow {
        Flow::Nothing => 0,
        Flow::Text(_) => 1,
        Flow::File => 2,
        Flow::Other => 3,
        Flow::Environment => 4,
        Flow::Secret => 5,
        Flow::Decoded => 6,
        Flow::Download => 7,
    };
    match (&one, &other) {
        (Flow::Text(_), Flow::Text(_)) => Flow::Other,
        _ if rank(&one) >= rank(&other) => one,
        _ => other,
    }
}
