//! When is a link drawn for a phone?

use gateway::cli::qr::{Room, code};

const LINK: &str = "https://t.me/postern_bot?start=ABCD2345";

fn drawn(link: &str, room: Room) -> String {
    code(
        &[
            "http://127.0.0.1:8787/#ABCD2345".to_owned(),
            link.to_owned(),
        ],
        room,
    )
}

#[test]
fn a_link_that_leads_elsewhere_is_drawn_black_on_white_in_half_blocks() {
    let drawn = drawn(LINK, Room::Columns(80));
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines.len() > 12 && lines.len() < 24, "{drawn}");
    for line in lines {
        let inner = line.strip_prefix("\u{1b}[38;5;16;48;5;231m").unwrap();
        let inner = inner.strip_suffix("\u{1b}[0m").unwrap();
        assert!(inner.chars().all(|c| " █▀▄".contains(c)), "{inner}");
        assert!(inner.chars().count() <= 40);
    }
}

#[test]
fn nothing_is_drawn_without_room_or_for_a_link_to_this_machine() {
    assert_eq!(drawn(LINK, Room::Columns(20)), "");
    assert_eq!(drawn(LINK, Room::None), "");
    for link in [
        "http://localhost:8787/#A",
        "http://[::1]:8787/#A",
        "http://0.0.0.0/#A",
        "no link",
    ] {
        assert_eq!(drawn(link, Room::Columns(200)), "", "{link}");
    }
}
