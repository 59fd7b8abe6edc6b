//! What did the model write? Its Markdown as a flat tree that each adapter turns into its dialect.
//!
//! The tree is two levels deep by construction: nested quotes and lists become numbers on a
//! block, nested emphasis becomes flags on a piece of text. Whatever is too long, too deep or too
//! costly to parse stays as plain text, so that no text is lost and the work stays linear.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Parsed Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// How many parser events were read; at most [`STEPS_PER_BYTE`] per byte and a few.
    pub steps: usize,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// How many quotes it stands in; at most [`DEEPEST`].
    pub quotes: usize,
    /// How many lists it stands in; at most [`DEEPEST`].
    pub lists: usize,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Lines in a fixed-width face, with the language that the fence names.
    Code {
        /// The language; letters, digits and `+-_#.` only.
        language: Option<String>,
        /// The lines.
        text: String,
    },
    /// A heading of any level.
    Heading(Vec<Inline>),
    /// The first paragraph of a list item, with its mark.
    Item {
        /// `•` or a number with its full stop.
        mark: String,
        /// The text.
        text: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A line between two sections.
    Rule,
    /// Rows of cells, plain; the first row is the head.
    Table(Vec<Vec<String>>),
}

/// A piece of text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inline {
    /// The text.
    pub text: String,
    /// How it is set.
    pub style: Style,
    /// Where it leads, as the model wrote it.
    pub link: Option<String>,
}

/// How a piece of text is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Strong emphasis.
    pub bold: bool,
    /// Fixed width.
    pub code: bool,
    /// Emphasis.
    pub italic: bool,
    /// Struck through.
    pub strike: bool,
}

/// Parses Markdown. Total and linear: past [`LONGEST`] bytes the rest is one plain paragraph, and
/// what nests or multiplies beyond reason is plain from the start.
pub fn parse(markdown: &str) -> Document {
    let end = floor_char_boundary(markdown, LONGEST);
    let (head, rest) = markdown.split_at_checked(end).unwrap_or((markdown, ""));
    let mut document = if nests_beyond_reason(head) {
        plain(head)
    } else {
        read(head).unwrap_or_else(|| plain(head))
    };
    if !rest.is_empty() {
        document.blocks.extend(plain(rest).blocks);
    }
    document
}

fn plain(text: &str) -> Document {
    let inline = Inline {
        text: text.to_owned(),
        ..Inline::default()
    };
    Document {
        blocks: vec![Block {
            kind: BlockKind::Paragraph(vec![inline]),
            quotes: 0,
            lists: 0,
        }],
        steps: 0,
    }
}

fn nests_beyond_reason(text: &str) -> bool {
    text.lines().any(|line| {
        let marks = line
            .chars()
            .take_while(|c| matches!(c, '>' | '-' | '*' | '+' | ' ' | '\t') || c.is_ascii_digit());
        marks.filter(|c| matches!(c, '>' | '-' | '+' | '*')).count() > 4 * DEEPEST
            && !line.chars().all(|c| matches!(c, '-' | '*' | ' '))
    })
}

fn read(text: &str) -> Option<Document> {
    let most = text.len().saturating_mul(STEPS_PER_BYTE).saturating_add(64);
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut steps = 0usize;
    for event in Parser::new_ext(text, options) {
        steps = steps.saturating_add(1);
        if steps > most {
            return None;
        }
        reader.take(event);
    }
    reader.flush();
    Some(Document {
        blocks: reader.blocks,
        steps,
    })
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    line: Vec<Inline>,
    code: Option<(Option<String>, String)>,
    rows: Vec<Vec<String>>,
    cell: Option<String>,
    heading: bool,
    mark: Option<String>,
    lists: Vec<Option<u64>>,
    quotes: usize,
    bold: usize,
    italic: usize,
    strike: usize,
    links: Vec<String>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text(&text, false);
            }
            Event::Code(text) => self.text(&text, true),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, false)
            }
            Event::SoftBreak | Event::HardBreak => self.text("\n", false),
            Event::Rule => {
                self.flush();
                self.put(BlockKind::Rule);
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, false),
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => {
                if self.mark.is_none() {
                    self.flush();
                }
            }
            Tag::Heading { .. } => {
                self.flush();
                self.heading = true;
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_add(1);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language(&info),
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}.");
                        *number = number.saturating_add(1);
                        mark
                    }
                    Some(None) | None => "•".to_owned(),
                });
            }
            Tag::Table(_) => {
                self.flush();
                self.rows.clear();
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::TableCell => self.cell = Some(String::new()),
            Tag::Emphasis => self.italic = self.italic.saturating_add(1),
            Tag::Strong => self.bold = self.bold.saturating_add(1),
            Tag::Strikethrough => self.strike = self.strike.saturating_add(1),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
            }
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.flush(),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) => self.flush(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                if let Some((language, text)) = self.code.take() {
                    self.put(BlockKind::Code { language, text });
                }
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.mark = None;
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                self.put(BlockKind::Table(rows));
            }
            TagEnd::TableCell => {
                if let (Some(cell), Some(row)) = (self.cell.take(), self.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.strike = self.strike.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => {
                let link = self.links.pop();
                // An address in a cell, or under no text, would vanish with its link.
                if let (Some(cell), Some(link)) = (self.cell.as_mut(), &link) {
                    cell.push_str(&format!(" ({link})"));
                } else if let Some(link) = link
                    && self.line.last().is_none_or(|last| last.link.is_none())
                {
                    self.text(&link, false);
                }
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => self.flush(),
        }
    }

    fn text(&mut self, text: &str, code: bool) {
        if let Some((_, lines)) = self.code.as_mut() {
            lines.push_str(text);
        } else if let Some(cell) = self.cell.as_mut() {
            cell.push_str(text);
        } else {
            let style = Style {
                bold: self.bold > 0,
                code,
                italic: self.italic > 0,
                strike: self.strike > 0,
            };
            match self.line.last_mut() {
                Some(last) if last.style == style && last.link.as_ref() == self.links.last() => {
                    last.text.push_str(text);
                }
                Some(_) | None => self.line.push(Inline {
                    text: text.to_owned(),
                    style,
                    link: self.links.last().cloned(),
                }),
            }
        }
    }

    fn flush(&mut self) {
        let heading = std::mem::take(&mut self.heading);
        if self.line.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.line);
        let kind = match self.mark.take() {
            Some(mark) => BlockKind::Item { mark, text },
            None if heading => BlockKind::Heading(text),
            None => BlockKind::Paragraph(text),
        };
        self.put(kind);
    }

    fn put(&mut self, kind: BlockKind) {
        self.blocks.push(Block {
            kind,
            quotes: self.quotes.min(DEEPEST),
            lists: self.lists.len().min(DEEPEST),
        });
    }
}

fn language(info: &str) -> Option<String> {
    let word: String = info
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_' | '#' | '.'))
        .take(20)
        .collect();
    (!word.is_empty()).then_some(word)
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// How many bytes are parsed; longer than any answer a person reads in a chat.
pub const LONGEST: usize = 64 << 10;

/// How deep quotes and lists are told apart.
pub const DEEPEST: usize = 8;

/// How many parser events one byte may cost before the text is taken as plain.
pub const STEPS_PER_BYTE: usize = 4;
