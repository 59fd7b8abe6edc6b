//! What does one simple command run in turn, and what does a shell run that it is sent?

use super::arguments::{self, Arguments};
use super::fold::{Argument, Literal};
use super::walk::{Flow, Judge, Scene, worse};
use super::wrap::{self, Reads};
use super::{Immune, Kind, SimpleCommand, danger, inline, names, read_only, system};

impl Judge<'_> {
    /// Judges one simple command, and what it would run in turn.
    pub(super) fn command(&mut self, words: Vec<Argument>, input: &Flow, scene: Scene) -> Flow {
        let cost: usize = words.iter().map(|word| word.text.len() + 1).sum();
        let mut words = words.into_iter();
        let Some(path) = words.next() else {
            return Flow::Nothing;
        };
        self.depth += 1;
        if !self.spend(cost) {
            self.depth -= 1;
            return Flow::Other;
        }
        let simple = SimpleCommand {
            program: arguments::program(&path.text),
            path,
            arguments: words.collect(),
        };
        let (program, first, rest) = (&simple.program, &simple.path, &simple.arguments);
        let place = self.commands.len();
        if !self.denylist.is_empty()
            && let Some(pattern) = self.denylist.matching(&simple.text())
        {
            let because = format!("the denylist pattern \"{pattern}\" matches");
            self.find(Kind::Denylisted, Immune::No, because);
        }
        danger::named(self, program, first, rest, scene);
        if names::is_shell(program) && self.has_assigned {
            self.find(
                Kind::AssignedShell,
                Immune::No,
                "it sets a variable and then starts a shell",
            );
        }
        for file in simple.files() {
            self.names(file);
        }
        if let Err(why) = read_only::proves(program, first, rest, self.folder) {
            self.not_reading(why);
        }
        danger::command(self, program, rest, input);
        let given = self.runs(program, first, rest, input, scene);
        // A command stands before those that it runs.
        self.commands.insert(place, simple);
        self.depth -= 1;
        given
    }

    /// What a wrapper, a shell or an interpreter would run.
    fn runs(
        &mut self,
        program: &str,
        first: &Argument,
        rest: &[Argument],
        input: &Flow,
        scene: Scene,
    ) -> Flow {
        let inner = wrap::peel(program, rest);
        for assignment in &inner.assignments {
            system::assigned(
                self,
                assignment.split_once('=').map_or("", |(name, _)| name),
            );
        }
        let is_wrapper = inner.reads != Reads::NotAWrapper;
        let mut given = Flow::Nothing;
        for command in inner.commands {
            let name = command.first().map(|first| arguments::program(&first.text));
            if matches!(program, "xargs" | "parallel" | "find" | "fd" | "fdfind") {
                danger::many(self, program, name.as_deref().unwrap_or_default());
            }
            given = worse(given, self.command(command, input, scene));
        }
        for line in inner.lines {
            given = worse(given, self.code(&line, input, scene));
        }
        match inner.reads {
            Reads::Input => self.piped(input, None),
            Reads::Script => {
                if let Some(script) = wrap::script(rest) {
                    danger::script(self, &script.text);
                }
            }
            Reads::Nothing => {}
            Reads::NotAWrapper => inline::judge(self, program, rest, input),
        }
        danger::script(self, &first.text);
        if is_wrapper && given != Flow::Nothing {
            return given;
        }
        super::flow::given(self, program, Arguments(rest), input)
    }

    /// A line for a shell inside the line.
    fn code(&mut self, line: &Argument, input: &Flow, scene: Scene) -> Flow {
        match line.literal {
            Literal::Printed => {
                self.find(
                    Kind::Hidden,
                    Immune::No,
                    "a shell runs what another command prints",
                );
            }
            Literal::Set => self.find(Kind::Hidden, Immune::No, "the line hides what a shell runs"),
            Literal::Variable => self.find(
                Kind::Hidden,
                Immune::Yes,
                "a shell runs what a variable holds",
            ),
            Literal::Pattern | Literal::Yes => {}
        }
        self.line(&line.text, input, scene)
    }

    /// A shell, or an interpreter of this name, that runs its input.
    pub(super) fn piped(&mut self, input: &Flow, language: Option<&str>) {
        let (kind, immune, because) = match input {
            Flow::Nothing => return,
            Flow::Text(text) => {
                match language {
                    None => {
                        self.line(text, &Flow::Nothing, Scene::Top);
                    }
                    Some(language) => inline::code(self, language, text),
                }
                return;
            }
            Flow::Decoded => (Kind::DecodedRun, Immune::No, "decoded text is run"),
            Flow::Download => (Kind::FetchedRun, Immune::No, "what is fetched is run"),
            Flow::Environment => (Kind::PipedRun, Immune::No, "the environment is run"),
            Flow::File => (Kind::PipedRun, Immune::No, "a file is run as commands"),
            Flow::Other | Flow::Secret => (
                Kind::PipedRun,
                Immune::Yes,
                "the output of a command is run",
            ),
        };
        self.find(kind, immune, because);
    }
}
