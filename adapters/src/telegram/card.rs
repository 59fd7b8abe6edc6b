//! How does a card look on Telegram? It is cut until it fits, its destinations never.

use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};

use super::rich::{self, Face, Rich};

/// The card in one message: what may be cut is cut further until it fits, longest first.
pub(super) fn fitted(card: &Card) -> Rich {
    let mut card = card.clone();
    loop {
        let rich = drawn(&card);
        let excess = rich.units().saturating_sub(rich::MOST_UNITS);
        let longest = card
            .fields
            .iter_mut()
            .filter(|field| match field.kind {
                FieldKind::Body | FieldKind::Note => true,
                FieldKind::Destination => false,
            })
            .max_by_key(|field| cut_order(field));
        let shortened = excess > 0 && longest.is_some_and(|field| shorten(field, excess));
        if !shortened {
            return rich;
        }
    }
}

/// What is cut already, or says little, is cut before a body that still stands whole.
fn cut_order(field: &Field) -> (bool, usize) {
    let units = rich::units(field.value.as_str());
    let little = match field.kind {
        FieldKind::Note => true,
        FieldKind::Body | FieldKind::Destination => field.cut.is_some(),
    };
    (little && units > 200, units)
}

/// Cuts the middle out of a field. False when nothing is left to cut.
fn shorten(field: &mut Field, excess: usize) -> bool {
    let chars: Vec<char> = field.value.as_str().chars().collect();
    if chars.len() < 3 {
        return false;
    }
    // Room for a longer note; at most half at a time, so that two long fields share the loss.
    let most = excess.saturating_add(60).min(chars.len() / 2);
    let keep = chars.len().saturating_sub(most.max(2));
    let tail = keep / 4;
    let head = keep.saturating_sub(tail);
    let gone = chars.len().saturating_sub(keep);
    let text: String = chars
        .iter()
        .take(head)
        .chain(std::iter::once(&'…'))
        .chain(chars.iter().skip(chars.len().saturating_sub(tail)))
        .collect();
    field.value = bot_policy::visible::show(&text);
    field.cut = Some(field.cut.unwrap_or(0).saturating_add(gone));
    true
}

fn drawn(card: &Card) -> Rich {
    let plain = Face::default;
    let bold = || Face {
        bold: true,
        ..Face::default()
    };
    let code = || Face {
        code: true,
        ..Face::default()
    };
    let mut rich = Rich::default();
    rich.push(LEADING_SIGN, plain());
    rich.push(" ", plain());
    rich.push(card.title.as_str(), bold());
    for reason in &card.reasons {
        rich.push("\n• ", plain());
        rich.push(reason.as_str(), plain());
    }
    for field in &card.fields {
        rich.push("\n\n", plain());
        rich.push(field.label.as_str(), bold());
        rich.push("\n", plain());
        rich.push(
            field.value.as_str(),
            Face {
                pre: Some(None),
                ..Face::default()
            },
        );
        if let Some(cut) = field.cut {
            rich.push("\n… ", plain());
            rich.push(&thousands(cut), plain());
            rich.push(" more characters: press Show all", plain());
        }
    }
    if let Some(rule) = &card.always {
        rich.push("\n\nAlways would save: ", plain());
        rich.push(rule.as_str(), code());
    }
    if let Some(outcome) = &card.outcome {
        rich.push("\n\n", plain());
        rich.push(outcome.as_str(), bold());
    }
    rich.inert()
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
