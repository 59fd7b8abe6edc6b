//! May this mail be put to a person? The whole of it fits the card and hides nobody, or nothing
//! is sent.

use crate::call::{Arguments, Call};
use crate::{site, visible};

/// The most recipients of one mail.
pub const RECIPIENTS: usize = 5;
/// The longest subject and body together, in characters as a card shows them.
pub const CHARACTERS: usize = 1500;
/// How many mails a place may send in a day.
pub const A_DAY: u32 = 20;

/// A mail as a person is asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Who gets it; all of them, and nobody else.
    pub to: Vec<String>,
    /// Its subject; may be empty.
    pub subject: String,
    /// Its text.
    pub body: String,
}

/// Why a mail is not even asked about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSendable {
    /// It has nobody to go to, or too many.
    #[error("a mail goes to 1 to {RECIPIENTS} addresses, in `to`, with commas between")]
    Count,
    /// Somebody could get it unseen.
    #[error("\"{0}\" is nothing that a mail of yours has; it has `to`, `subject` and `body`")]
    Hidden(String),
    /// It is too long to be shown whole.
    #[error(
        "a mail has at most {CHARACTERS} characters, so that it can be shown whole; shorten it"
    )]
    Long,
    /// An address is more or less than one.
    #[error("\"{0}\" is not one plain address such as name@example.org")]
    NotAnAddress(String),
    /// A line break in the subject could begin another header.
    #[error("a subject is one line of text")]
    Subject,
    /// Something in it is no text.
    #[error("a mail's `to`, `subject` and `body` are texts")]
    Unreadable,
}

/// The mail that a call would send.
///
/// # Errors
/// When it cannot be shown whole, or somebody could get it unseen.
pub fn of(call: &Call) -> Result<Mail, NotSendable> {
    read(call, &mut 0)
}

/// How many steps that takes: the bytes read, and the names and addresses compared.
pub fn steps(call: &Call) -> usize {
    let mut steps = 0;
    drop(read(call, &mut steps));
    steps
}

fn read(call: &Call, steps: &mut usize) -> Result<Mail, NotSendable> {
    let Arguments::Readable(map) = &call.arguments else {
        return Err(NotSendable::Unreadable);
    };
    let mut names = map.keys().inspect(|_| *steps += 1);
    if let Some(other) = names.find(|name| !PARTS.contains(&name.as_str())) {
        return Err(NotSendable::Hidden(visible::line(other).to_string()));
    }
    let text = |name: &str| match map.get(name) {
        None => Ok(""),
        Some(value) => value.as_str().ok_or(NotSendable::Unreadable),
    };
    let (to, subject, body) = (text("to")?, text("subject")?, text("body")?);
    let to = listed(to, steps)?;
    *steps += subject.len();
    if subject.chars().any(char::is_control) {
        return Err(NotSendable::Subject);
    }
    let mut shown = |text: &str| {
        *steps += text.len();
        visible::show(text).as_str().chars().count()
    };
    if subject.len() + body.len() > 4 * CHARACTERS || shown(subject) + shown(body) > CHARACTERS {
        return Err(NotSendable::Long);
    }
    Ok(Mail {
        to,
        subject: subject.to_owned(),
        body: body.to_owned(),
    })
}

/// The addresses in a list with commas, each plain and each once.
///
/// # Errors
/// When one of them is more or less than one plain address, or there are none or too many.
pub fn recipients(list: &str) -> Result<Vec<String>, NotSendable> {
    listed(list, &mut 0)
}

fn listed(list: &str, steps: &mut usize) -> Result<Vec<String>, NotSendable> {
    let mut all: Vec<String> = Vec::new();
    for one in list.split(',').take(RECIPIENTS + 1) {
        *steps += one.len() + all.len();
        let one = one.trim_matches(' ');
        if !is_address(one) {
            return Err(NotSendable::NotAnAddress(visible::line(one).to_string()));
        }
        if !all.iter().any(|other| other.eq_ignore_ascii_case(one)) {
            all.push(one.to_owned());
        }
    }
    *steps += list.len();
    if list.split(',').nth(RECIPIENTS).is_some() {
        return Err(NotSendable::Count);
    }
    Ok(all)
}

/// No name before it, no comment, no quotes, no route, no second `@`: nothing that one reader of
/// mail takes for more than another.
fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let dots = name.starts_with('.') || name.ends_with('.') || name.contains("..");
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    !name.is_empty()
        && name.len() <= 64
        && name.chars().all(plain)
        && !dots
        && host.contains('.')
        && host.len() <= site::HOST_BYTES
        && host.split('.').all(label)
}

const PARTS: [&str; 3] = ["body", "subject", "to"];
