//! A second opinion: what another reader of shell finds in a line, ours finds too.

use std::collections::BTreeSet;

use bot_policy::shell::{Denylist, FolderTrust, Kind, commands, judge};
use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, Pipeline,
};
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};

#[test]
fn every_program_that_another_parser_finds_is_found() {
    let (mut compared, mut missed, mut refused) = (0, Vec::new(), Vec::new());
    for line in lines() {
        let options = ParserOptions::default();
        let Ok(tokens) = uncached_tokenize_str(&line, &options.tokenizer_options()) else {
            continue;
        };
        let Ok(program) = parse_tokens(&tokens, &options) else {
            continue;
        };
        let mut theirs = BTreeSet::new();
        for list in &program.complete_commands {
            of_list(list, &mut theirs);
        }
        let judged = judge(&line, &Denylist::default(), FolderTrust::Trusted);
        if judged.findings.iter().any(|f| f.kind == Kind::Unreadable) {
            refused.push(line);
            continue;
        }
        compared += 1;
        let ours: BTreeSet<String> = commands(&line).into_iter().map(|c| c.path.text).collect();
        missed.extend(
            theirs
                .difference(&ours)
                .map(|name| format!("{name} in {line}")),
        );
    }
    println!(
        "second opinion: {compared} lines agree, {} only they read: {refused:?}",
        refused.len()
    );
    assert_eq!(missed, Vec::<String>::new());
    assert!(compared > 350);
}

fn lines() -> Vec<String> {
    [
        include_str!("../fixtures/shell/danger.tsv"),
        include_str!("../fixtures/shell/readonly.tsv"),
        include_str!("../fixtures/shell/immune.tsv"),
    ]
    .iter()
    .flat_map(|table| table.lines().skip(1))
    .filter_map(|row| row.split('\t').nth(1))
    .map(|field| field.replace("\\n", "\n").replace("\\\\", "\\"))
    .collect()
}

fn of_list(list: &CompoundList, names: &mut BTreeSet<String>) {
    for item in &list.0 {
        of_and_or(&item.0, names);
    }
}

fn of_and_or(list: &AndOrList, names: &mut BTreeSet<String>) {
    of_pipeline(&list.first, names);
    for next in &list.additional {
        match next {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => of_pipeline(pipeline, names),
        }
    }
}

fn of_pipeline(pipeline: &Pipeline, names: &mut BTreeSet<String>) {
    for command in &pipeline.seq {
        match command {
            Command::Simple(simple) => {
                let name = simple.word_or_name.as_ref().map_or("", |word| &word.value);
                let is_plain = name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
                if is_plain && !name.is_empty() {
                    names.insert(name.to_owned());
                }
                for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
                    if let CommandPrefixOrSuffixItem::ProcessSubstitution(_, inner) = item {
                        of_list(&inner.list, names);
                    }
                }
            }
            Command::Compound(compound, _) => of_compound(compound, names),
            Command::Function(function) => of_compound(&function.body.0, names),
            Command::ExtendedTest(..) => {}
        }
    }
}

fn of_compound(compound: &CompoundCommand, names: &mut BTreeSet<String>) {
    match compound {
        CompoundCommand::BraceGroup(group) => of_list(&group.list, names),
        CompoundCommand::Subshell(group) => of_list(&group.list, names),
        CompoundCommand::ForClause(each) => of_list(&each.body.list, names),
        CompoundCommand::IfClause(clause) => {
            of_list(&clause.condition, names);
            of_list(&clause.then, names);
        }
        CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
            of_list(&clause.0, names);
            of_list(&clause.1.list, names);
        }
        _ => {}
    }
}
