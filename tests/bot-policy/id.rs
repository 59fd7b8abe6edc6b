//! Ids that go out and come back.

use bot_policy::id::{ButtonToken, Timestamp};

#[test]
fn a_token_comes_back_as_it_went_out() {
    let token = ButtonToken::from_random([7; 16]);
    let text = String::from(token.clone());
    assert_eq!(text, "07".repeat(16));
    assert_eq!(ButtonToken::try_from(text).unwrap(), token);
}

#[test]
fn anything_else_is_no_token() {
    for text in [
        String::new(),
        "07".repeat(15),
        "07".repeat(17),
        "0g".repeat(16),
        "\u{661}".repeat(32),
    ] {
        assert!(ButtonToken::try_from(text.clone()).is_err(), "{text}");
    }
}

#[test]
fn a_token_is_never_printed() {
    assert_eq!(
        format!("{:?}", ButtonToken::from_random([7; 16])),
        "ButtonToken(..)"
    );
}

#[test]
fn time_stays_inside_what_can_be_told() {
    assert_eq!(Timestamp(5).plus_seconds(2), Timestamp(2005));
    assert_eq!(Timestamp(5).plus_seconds(i64::MAX), Timestamp(i64::MAX));
}
