//! Nothing hides in what is shown.

use bot_policy::card::LEADING_SIGN;
use bot_policy::visible::{foreign, line, show};

#[test]
fn plain_text_stands_as_it_is() {
    for text in [
        "hello, w\u{f6}rld",
        "\u{4f60}\u{597d}",
        "e\u{301}",
        "a\n\tb\n\n  c",
        "\u{1f600}",
    ] {
        assert_eq!(show(text).as_str(), text);
    }
}

#[test]
fn f56_everything_hidden_is_written_out() {
    let hidden = [
        '\0',
        '\u{7f}',
        '\u{85}',
        '\r',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200f}',
        '\u{202e}',
        '\u{2028}',
        '\u{2029}',
        '\u{2060}',
        '\u{2066}',
        '\u{2800}',
        '\u{3164}',
        '\u{a0}',
        '\u{3000}',
        '\u{2003}',
        '\u{e000}',
        '\u{feff}',
        '\u{fe0f}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{378}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e0100}',
        '\u{f0000}',
        '\u{10ffff}',
    ];
    for c in hidden {
        let expected = format!("a\\u{{{:x}}}b", u32::from(c));
        assert_eq!(show(&format!("a{c}b")).as_str(), expected);
        assert_eq!(line(&format!("a{c}b")).as_str(), expected);
    }
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(line("a\nb\tc").as_str(), "a\\u{a}b\\u{9}c");
}

#[test]
fn long_padding_is_told_instead_of_shown() {
    let padded = format!("a{}b", " ".repeat(500));
    assert_eq!(show(&padded).as_str(), "a \u{27e8}500 blanks\u{27e9} b");
    let lines = format!("a{}b", "\n".repeat(50));
    assert_eq!(
        show(&lines).as_str(),
        "a\n\u{27e8}49 blank lines\u{27e9}\nb"
    );
    let mixed = format!("a{}b", "  \n".repeat(50));
    assert_eq!(
        show(&mixed).as_str(),
        "a  \n\u{27e8}49 blank lines\u{27e9}\nb"
    );
    let indented = format!("a\n{}b", " ".repeat(20));
    assert_eq!(show(&indented).as_str(), indented);
    let far = format!("a\n{}b", " ".repeat(200));
    assert_eq!(show(&far).as_str(), "a\n \u{27e8}200 blanks\u{27e9} b");
}

#[test]
fn marks_that_cover_other_lines_are_written_out() {
    let stacked = format!("a{}", "\u{301}".repeat(6));
    assert_eq!(
        show(&stacked).as_str(),
        "a\u{301}\u{301}\u{301}\u{301}\\u{301}\\u{301}"
    );
}

#[test]
fn law_8_the_sign_of_our_cards_is_in_no_other_text() {
    let posing = format!("{LEADING_SIGN} @files write\u{202e}");
    assert_eq!(foreign(&posing).as_str(), " @files write\\u{202e}");
    assert_eq!(show(&posing).as_str(), "\\u{1f6aa} @files write\\u{202e}");
}
