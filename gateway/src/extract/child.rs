//! What does a document say? Runs alone in a process that may do nothing but answer.

use std::io::{Read, Write};
use std::process::ExitCode;

use html2text::render::TextDecorator;
use rustix::process::{Resource, Rlimit, setrlimit};
use url::Url;

use super::{CANNOT_READ, Kind, OFFERED, TEXT_LIMIT};

/// How much memory it may take, in bytes.
const MEMORY: u64 = 512 << 20;
/// How long it may compute, in seconds.
const SECONDS: u64 = 4;
/// How wide a line becomes, in characters; far longer than an address.
const WIDTH: usize = 2000;
/// How much of a PDF's packed text is unpacked, in bytes.
const UNPACKED: usize = 32 << 20;

/// Reads a document from the standard input and says what it says on the standard output.
pub(super) fn answer(kind: Kind, base: &str, charset: &str) -> ExitCode {
    if limit().is_err() {
        return ExitCode::FAILURE;
    }
    let mut bytes = Vec::new();
    let limit = OFFERED as u64;
    if std::io::stdin()
        .take(limit)
        .read_to_end(&mut bytes)
        .is_err()
    {
        return ExitCode::FAILURE;
    }
    let text = match kind {
        Kind::Html => html(&bytes, base, charset),
        Kind::Pdf => pdf(&bytes),
        Kind::Plain => Some(decoded(&bytes, charset)),
    };
    let Some(text) = text else {
        return ExitCode::from(CANNOT_READ);
    };
    let end = text.floor_char_boundary(TEXT_LIMIT + 1);
    let said = text.as_bytes().get(..end).unwrap_or_default();
    match std::io::stdout().write_all(said) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// First of all: no memory without end, no time without end, no files, no children.
fn limit() -> std::io::Result<()> {
    for (what, most) in [
        (Resource::As, MEMORY),
        (Resource::Cpu, SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 3),
        (Resource::Nproc, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(what, limit)?;
    }
    Ok(())
}

fn decoded(bytes: &[u8], charset: &str) -> String {
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes());
    let (text, _, _) = encoding.unwrap_or(encoding_rs::UTF_8).decode(bytes);
    text.into_owned()
}

fn html(bytes: &[u8], base: &str, charset: &str) -> Option<String> {
    let text = decoded(bytes, charset);
    let page = Page {
        base: Url::parse(base).ok(),
        open: Vec::new(),
    };
    html2text::config::with_decorator(page)
        .raw_mode(true)
        .allow_width_overflow()
        .link_footnotes(false)
        .string_from_read(text.as_bytes(), WIDTH)
        .ok()
}

fn pdf(bytes: &[u8]) -> Option<String> {
    let document = lopdf::Document::load_mem(bytes).ok()?;
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    document.extract_text_with_limit(&pages, UNPACKED).ok()
}

/// How a page is written down: links with their whole address, pictures by their words.
#[derive(Clone, Debug)]
struct Page {
    base: Option<Url>,
    /// The addresses of the links that are open.
    open: Vec<Option<Url>>,
}

impl Page {
    fn whole(&self, address: &str) -> Option<Url> {
        let found = match &self.base {
            Some(base) => base.join(address).ok()?,
            None => Url::parse(address).ok()?,
        };
        matches!(found.scheme(), "http" | "https").then_some(found)
    }
}

impl TextDecorator for Page {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        let whole = self.whole(url);
        self.open.push(whole);
        (String::new(), ())
    }

    fn decorate_link_end(&mut self) -> String {
        match self.open.pop().flatten() {
            Some(url) => format!(" ({url})"),
            None => String::new(),
        }
    }

    fn decorate_em_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_em_end(&self) -> String {
        String::new()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strong_end(&self) -> String {
        String::new()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strikeout_end(&self) -> String {
        String::new()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_code_end(&self) -> String {
        String::new()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, _: &str, title: &str) -> (String, ()) {
        (format!("[{title}]"), ())
    }

    fn header_prefix(&self, level: usize) -> String {
        "#".repeat(level) + " "
    }

    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }

    fn unordered_item_prefix(&self) -> String {
        "* ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }

    fn make_subblock_decorator(&self) -> Self {
        self.clone()
    }
}
