//! Which variables does a line set, and to what?

use super::fold::Argument;
use super::tree::{Group, Piece, Shape, Simple, Stage, Word};
use super::walk::Judge;

/// Notes every value that the line gives a variable, wherever in it.
pub(super) fn collect(judge: &mut Judge, list: &[super::tree::Pipeline]) {
    for stage in list.iter().flat_map(|pipeline| &pipeline.stages) {
        if !judge.spend(1) {
            return;
        }
        match stage {
            Stage::Group(group) => of_group(judge, group),
            Stage::Simple(simple) => of_simple(judge, simple),
        }
    }
}

fn of_group(judge: &mut Judge, group: &Group) {
    for word in &group.words {
        of_word(judge, word);
    }
    if let Shape::Each(name) = &group.shape {
        let values = judge.fold(&group.words);
        if values.is_empty() {
            judge.variables.hide(name);
        }
        for value in values {
            judge.variables.set(name, &value);
        }
    }
    for list in &group.lists {
        collect(judge, list);
    }
}

fn of_simple(judge: &mut Judge, simple: &Simple) {
    for assignment in &simple.assignments {
        match assignment.values.as_slice() {
            [value] => {
                of_word(judge, value);
                let value = judge.text(value);
                judge.variables.set(&assignment.name, &value);
            }
            _ => judge.variables.hide(&assignment.name),
        }
    }
    for word in &simple.words {
        of_word(judge, word);
    }
    let is_setter = |program: &str| SETTERS.contains(&program);
    let program = match simple.words.first().map(|word| word.0.as_slice()) {
        Some([Piece::Text(text, _)]) if !is_setter(text) => return,
        Some(_) => simple.words.first().and_then(Word::plain),
        None => return,
    };
    let Some(program) = program.filter(|program| is_setter(program)) else {
        return;
    };
    let words = judge.fold(&simple.words);
    let mut is_named = program != "printf";
    for argument in words.iter().skip(1) {
        match argument.text.split_once('=') {
            Some((name, value)) if !OPAQUE.contains(&program.as_str()) => {
                let value = Argument {
                    text: value.to_owned(),
                    literal: argument.literal,
                };
                judge.variables.set(name, &value);
            }
            Some((name, _)) if is_named => judge.variables.hide(name),
            None if is_named && OPAQUE.contains(&program.as_str()) => {
                judge.variables.hide(&argument.text);
            }
            Some(_) | None => is_named |= argument.text == "-v",
        }
    }
}

fn of_word(judge: &mut Judge, word: &Word) {
    for piece in &word.0 {
        match piece {
            Piece::Text(..) => {}
            Piece::Arithmetic(inner) => of_word(judge, inner),
            Piece::Command(list, _) | Piece::Process(list) => collect(judge, list),
            Piece::Variable(variable, _) => {
                for inner in &variable.inner {
                    of_word(judge, inner);
                }
            }
        }
    }
}

const SETTERS: [&str; 11] = [
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
];

/// Those whose value cannot be told.
const OPAQUE: [&str; 6] = ["getopts", "let", "mapfile", "printf", "read", "readarray"];
