//! How does a message look, whatever the dialect? Text with faces, drawn from cards and from the
//! model's Markdown.

use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};
use bot_policy::message::{Addresses, Notice, Reply};
use url::Url;

use crate::markup::{self, Block, BlockKind, Inline};
use crate::rich::{self, Face, Rich};

/// A card in one message of so many UTF-16 units: what may be cut is cut further until it fits,
/// longest first. Its destinations are never cut, so it may be longer.
pub(crate) fn card(card: &Card, most: usize) -> Rich {
    card_by(card, most, Rich::units)
}

/// As [`card`], where a dialect counts in a way of its own.
pub(crate) fn card_by(card: &Card, most: usize, count: impl Fn(&Rich) -> usize) -> Rich {
    let mut card = card.clone();
    loop {
        let rich = drawn(&card);
        let excess = count(&rich).saturating_sub(most);
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

/// The model's words, and what stands under them.
pub(crate) fn reply(reply: &Reply) -> Rich {
    let mut rich = Rich::default();
    let document = markup::parse(&reply.markdown);
    let mut before: Option<&Block> = None;
    for block in &document.blocks {
        if let Some(before) = before {
            let face = Face {
                quote: before.quotes > 0 && block.quotes > 0,
                ..Face::default()
            };
            let together = before.lists > 0 && block.lists > 0;
            rich.push(if together { "\n" } else { "\n\n" }, face);
        }
        draw(&mut rich, block, reply.addresses);
        before = Some(block);
    }
    if let Some(footer) = &reply.footer {
        if !rich.is_blank() {
            rich.push("\n\n", Face::default());
        }
        rich.push(
            &unsigned(footer),
            Face {
                italic: true,
                ..Face::default()
            },
        );
    }
    guarded(rich, reply.addresses)
}

/// A line of our own, plain.
pub(crate) fn notice(notice: &Notice) -> Rich {
    plain(&notice.text, notice.addresses)
}

/// Text that no Markdown is read in.
pub(crate) fn plain(text: &str, addresses: Addresses) -> Rich {
    let mut rich = Rich::default();
    rich.push(&unsigned(text), Face::default());
    guarded(rich, addresses)
}

/// The text without the sign that only cards begin with.
pub(crate) fn unsigned(text: &str) -> String {
    text.replace(LEADING_SIGN, "")
}

fn guarded(rich: Rich, addresses: Addresses) -> Rich {
    match addresses {
        Addresses::Inert => rich.inert(),
        Addresses::Live => rich,
    }
}

fn draw(rich: &mut Rich, block: &Block, addresses: Addresses) {
    let base = Face {
        quote: block.quotes > 0,
        ..Face::default()
    };
    let pre = |language: &Option<String>| Face {
        pre: Some(language.clone()),
        ..base.clone()
    };
    match &block.kind {
        BlockKind::Code { language, text } => {
            rich.push(&unsigned(text.trim_end_matches('\n')), pre(language));
        }
        BlockKind::Heading(text) => {
            draw_line(rich, text, &Face { bold: true, ..base }, addresses);
        }
        BlockKind::Item { mark, text } => {
            rich.push(&"  ".repeat(block.lists.saturating_sub(1)), base.clone());
            rich.push(&format!("{mark} "), base.clone());
            draw_line(rich, text, &base, addresses);
        }
        BlockKind::Paragraph(text) => {
            rich.push(&"  ".repeat(block.lists), base.clone());
            draw_line(rich, text, &base, addresses);
        }
        BlockKind::Rule => rich.push("———", base),
        BlockKind::Table(rows) => rich.push(&unsigned(&table(rows)), pre(&None)),
    }
}

fn draw_line(rich: &mut Rich, line: &[Inline], base: &Face, addresses: Addresses) {
    let mut inlines = line.iter().peekable();
    while let Some(inline) = inlines.next() {
        let mut face = Face {
            bold: base.bold || inline.style.bold,
            code: inline.style.code,
            italic: inline.style.italic,
            strike: inline.style.strike,
            ..base.clone()
        };
        face.link = match (addresses, &inline.link) {
            (Addresses::Live, Some(link)) => Url::parse(link)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https" | "mailto")),
            (Addresses::Live, None) | (Addresses::Inert, _) => None,
        };
        let pressed = face.link.is_some();
        rich.push(&unsigned(&inline.text), face);
        let ends = inlines.peek().is_none_or(|next| next.link != inline.link);
        if let Some(link) = &inline.link
            && ends
            && !pressed
            && *link != inline.text
        {
            rich.push(&format!(" ({})", unsigned(link)), base.clone());
        }
    }
}

/// Rows under each other in columns; where padding would outgrow the text, without columns.
fn table(rows: &[Vec<String>]) -> String {
    let width = |cell: &String| cell.chars().count();
    let mut widths: Vec<usize> = Vec::new();
    let mut content = 0usize;
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            content = content.saturating_add(width(cell));
            match widths.get_mut(at) {
                Some(widest) => *widest = (*widest).max(width(cell)),
                None => widths.push(width(cell)),
            }
        }
    }
    let padded = widths.iter().sum::<usize>().saturating_mul(rows.len());
    let aligned = padded <= content.saturating_mul(4).saturating_add(400);
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                line.push_str(" | ");
            }
            line.push_str(cell);
            let missing = widths
                .get(at)
                .copied()
                .unwrap_or(0)
                .saturating_sub(width(cell));
            if aligned {
                line.extend(std::iter::repeat_n(' ', missing));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.trim_end_matches('\n').to_owned()
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
