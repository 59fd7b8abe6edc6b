//! Can a phone read the link from the terminal? As a code of half blocks, where there is room.

use std::io::IsTerminal;

use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use url::{Host, Url};

use super::screen::{Paint, Screen};

/// How wide a terminal must be, and whether one is there to draw on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// So many characters.
    Columns(u16),
    /// No terminal, or nobody wants a code.
    None,
}

impl Room {
    /// The room of this process's output. A plain terminal gets none: a code needs its colours.
    pub(super) fn of(screen: Screen) -> Self {
        let out = std::io::stdout();
        match (screen.paint(), out.is_terminal()) {
            (Paint::Colour, true) => match rustix::termios::tcgetwinsize(out) {
                Ok(size) => Self::Columns(size.ws_col),
                Err(_) => Self::None,
            },
            (Paint::Colour | Paint::Plain, _) => Self::None,
        }
    }
}

/// The first of these links that another device could open, as a code; nothing where it does not
/// fit. Black on white, whatever the terminal's own colours are.
pub fn code(links: &[String], room: Room) -> String {
    let Room::Columns(columns) = room else {
        return String::new();
    };
    let Some(link) = links.iter().find(|link| leads_elsewhere(link)) else {
        return String::new();
    };
    let Ok(code) = QrCode::with_error_correction_level(link, EcLevel::L) else {
        return String::new();
    };
    let drawn = code
        .render::<Dense1x2>()
        .dark_color(Dense1x2::Dark)
        .light_color(Dense1x2::Light)
        .build();
    let width = drawn.lines().map(|line| line.chars().count()).max();
    if width.is_none_or(|width| width > usize::from(columns)) {
        return String::new();
    }
    drawn
        .lines()
        .map(|line| format!("\u{1b}[38;5;16;48;5;231m{line}\u{1b}[0m\n"))
        .collect()
}

/// Whether a link leads off this machine: one to itself is of no use to a phone.
fn leads_elsewhere(link: &str) -> bool {
    let Ok(link) = Url::parse(link) else {
        return false;
    };
    match link.host() {
        Some(Host::Domain(name)) => name != "localhost",
        Some(Host::Ipv4(ip)) => !ip.is_loopback() && !ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => !ip.is_loopback() && !ip.is_unspecified(),
        None => false,
    }
}
