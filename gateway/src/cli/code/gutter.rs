//! Whose words are these? Text that is not Postern's own stands behind a bar on every line, so
//! that nothing in it can look like a question of ours.

use bot_policy::visible;

use super::super::screen::Paint;

/// Writes text behind a bar, piece by piece, and breaks lines before the terminal would.
#[derive(Debug)]
pub(super) struct Gutter {
    bar: String,
    width: usize,
    column: usize,
    open: bool,
}

impl Gutter {
    /// `width` is that of the terminal, in columns.
    pub(super) fn new(bar: impl Into<String>, width: usize) -> Self {
        let bar = bar.into();
        Self {
            width: width.saturating_sub(columns(&bar)).max(LEAST),
            bar,
            column: 0,
            open: false,
        }
    }

    /// Adds a piece. Everything hidden in it is written out.
    pub(super) fn write(&mut self, text: &str, out: &mut String) {
        for c in visible::show(text).as_str().chars() {
            self.begin(out);
            if c == '\n' {
                out.push('\n');
                self.open = false;
                continue;
            }
            let c = if c == '\t' { ' ' } else { c };
            // What is not ASCII may be two columns wide; a line that breaks early hurts nobody.
            let columns = if c.is_ascii() { 1 } else { 2 };
            if self.column + columns > self.width {
                out.push('\n');
                self.open = false;
                self.begin(out);
            }
            out.push(c);
            self.column += columns;
        }
    }

    /// Ends the line that is open.
    pub(super) fn end(&mut self, out: &mut String) {
        if self.open {
            out.push('\n');
            self.open = false;
        }
    }

    fn begin(&mut self, out: &mut String) {
        if !self.open {
            out.push_str(&self.bar);
            self.open = true;
            self.column = 0;
        }
    }
}

/// A line of a difference behind a bar: its text is coloured, and the bar is not.
pub(super) fn difference(paint: Paint, bar: &str, line: &str, width: usize, out: &mut String) {
    let mut drawn = String::new();
    lines(bar, line, width, &mut drawn);
    for row in drawn.split_inclusive('\n') {
        let text = row.strip_prefix(bar).unwrap_or(row);
        out.push_str(bar);
        out.push_str(&paint.difference(line, text));
    }
}

/// Whole lines behind a bar.
pub(super) fn lines(bar: &str, text: &str, width: usize, out: &mut String) {
    let mut gutter = Gutter::new(bar, width);
    gutter.write(text, out);
    gutter.end(out);
}

/// The columns that a bar takes: all of it but what colours it.
fn columns(bar: &str) -> usize {
    let mut colours = false;
    let shown = bar.chars().filter(|c| {
        let was = colours;
        colours = (was && *c != 'm') || *c == '\u{1b}';
        !was && !colours
    });
    shown.count()
}

/// The narrowest text, in columns.
const LEAST: usize = 20;
