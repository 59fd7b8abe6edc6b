//! Does a granted resource cover this one? `*` within a segment, `**` across, `?` and `[a-c]` for
//! one character.

use std::cell::Cell;

/// Whether a normal path is covered by a pattern of the same form; each comparison is a step.
pub(crate) fn covers_path(pattern: &str, path: &str, steps: &Cell<usize>) -> bool {
    if pattern.starts_with('/') != path.starts_with('/') {
        return false;
    }
    let pattern: Vec<&str> = segments(pattern);
    let path: Vec<&str> = segments(path);
    matches(
        &pattern,
        &path,
        |segment| *segment == "**",
        |pattern, segment| covers_segment(pattern, segment, steps),
        steps,
    )
}

/// Whether every class in a pattern is closed, and none begins with a sign that other readers
/// take for "not".
pub(crate) fn is_closed(pattern: &str) -> bool {
    pattern.split('/').all(|segment| tokens(segment).is_some())
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .collect()
}

fn covers_segment(pattern: &str, segment: &str, steps: &Cell<usize>) -> bool {
    let Some(pattern) = tokens(pattern) else {
        return false;
    };
    let segment: Vec<char> = segment.chars().collect();
    matches(
        &pattern,
        &segment,
        |token| *token == Token::Star,
        |token, c| match token {
            Token::Any => true,
            Token::Class { not, ranges } => {
                *not != ranges.iter().any(|(from, to)| (from..=to).contains(&c))
            }
            Token::One(one) => one == c,
            Token::Star => false,
        },
        steps,
    )
}

#[derive(PartialEq)]
enum Token {
    Any,
    Class {
        not: bool,
        ranges: Vec<(char, char)>,
    },
    One(char),
    Star,
}

/// A segment as what it is made of. A `]` that comes first in its class stands for itself.
fn tokens(segment: &str) -> Option<Vec<Token>> {
    let mut all = Vec::new();
    let mut rest = segment.chars().peekable();
    while let Some(c) = rest.next() {
        all.push(match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '[' => {
                let not = rest.next_if_eq(&'!').is_some();
                if rest.peek() == Some(&'^') {
                    return None;
                }
                let mut ranges = Vec::new();
                loop {
                    let from = rest.next()?;
                    if from == ']' && !ranges.is_empty() {
                        break;
                    }
                    let mut to = from;
                    if rest.next_if_eq(&'-').is_some() {
                        to = rest.next()?;
                        if to == ']' {
                            ranges.extend([(from, from), ('-', '-')]);
                            break;
                        }
                    }
                    ranges.push((from, to));
                }
                Token::Class { not, ranges }
            }
            one => Token::One(one),
        });
    }
    Some(all)
}

/// Greedy matching with one step back to the last star; steps stay below pattern times text.
fn matches<P, T>(
    pattern: &[P],
    text: &[T],
    is_star: impl Fn(&P) -> bool,
    is_same: impl Fn(&P, &T) -> bool,
    steps: &Cell<usize>,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(item) = text.get(t) {
        steps.set(steps.get() + 1);
        match pattern.get(p) {
            Some(wild) if is_star(wild) => {
                star = Some((p, t));
                p += 1;
            }
            Some(same) if is_same(same, item) => {
                p += 1;
                t += 1;
            }
            Some(_) | None => match star {
                None => return false,
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
            },
        }
    }
    pattern.iter().skip(p).all(is_star)
}
