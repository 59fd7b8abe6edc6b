//! Nothing that prints can print a secret.

use bot_policy::secret::{MARKER, NotRedactable, Redactor, Secret};

#[test]
fn a_secret_is_never_printed() {
    assert_eq!(format!("{:?}", Secret::new("token")), "<redacted>");
    let knows = Redactor::new([&secret("hunter2hunter2")]).unwrap();
    assert_eq!(format!("{knows:?}"), "Redactor(..)");
}

#[test]
fn a_secret_is_compared_whole() {
    let token = secret("token-token");
    assert!(token.matches(b"token-token"));
    assert!(!token.matches(b"token-tokeN"));
    assert!(!token.matches(b"token"));
    assert!(!token.matches(b""));
}

#[test]
fn every_way_of_writing_a_secret_is_cut() {
    let key = "sk-Live_9/aB+cD=eF";
    for (secret, text, left) in [
        (key, "key=sk-Live_9/aB+cD=eF end", "key=<redacted> end"),
        (
            key,
            "sk-Live_9/aB+cD=eFsk-Live_9/aB+cD=eF",
            "<redacted><redacted>",
        ),
        (key, "sk-Live_9%2FaB%2BcD%3DeF", MARKER),
        (key, "sk-Live_9%2faB%2bcD%3deF", MARKER),
        (key, "736b2d4c6976655f392f61422b63443d6546", MARKER),
        (key, "736B2D4C6976655F392F61422B63443D6546", MARKER),
        (key, "sk-Live_9\\/aB+cD=eF", MARKER),
        (key, "no match", "no match"),
        (key, "SK-LIVE_9/AB+CD=EF", "SK-LIVE_9/AB+CD=EF"),
        ("two words+1", "two+words%2B1", MARKER),
        ("two words+1", "two%20words%2B1", MARKER),
        ("line1\nline2", "\"line1\\nline2\"", "\"<redacted>\""),
        ("line1\nline2", "line1\r\nline2", MARKER),
        (
            "p\"w\\xpw\"",
            "{\"p\": \"p\\\"w\\\\xpw\\\"\"}",
            "{\"p\": \"<redacted>\"}",
        ),
        ("a&b<c>dd", "a&amp;b&lt;c&gt;dd", MARKER),
    ] {
        assert_eq!(
            Redactor::new([&self::secret(secret)]).unwrap().cut(text),
            left,
            "{text}"
        );
    }
}

#[test]
fn base64_is_found_whatever_stands_before_it() {
    let knows = Redactor::new([&secret("sk-Live_9/aB+cD=eF")]).unwrap();
    // base64 of the secret after "", "u:", "us:" and "user:", with "!" behind.
    for text in [
        "c2stTGl2ZV85L2FCK2NEPWVGIQ==",
        "dTpzay1MaXZlXzkvYUIrY0Q9ZUYh",
        "dXM6c2stTGl2ZV85L2FCK2NEPWVGIQ==",
        "dXNlcjpzay1MaXZlXzkvYUIrY0Q9ZUYh",
        "YTpiOnNrLUxpdmVfOS9hQitjRD1lRiE=",
    ] {
        let cut = knows.cut(text);
        assert!(
            cut.contains(MARKER) && cut.len() < text.len(),
            "{text} became {cut}"
        );
    }
}

#[test]
fn what_overlaps_is_cut_as_one_and_the_marker_is_not_searched() {
    let knows = Redactor::new([
        &secret("abcdefgh"),
        &secret("efghijkl"),
        &secret("redacted"),
    ])
    .unwrap();
    assert_eq!(knows.cut("xabcdefghijklx"), "x<redacted>x");
    assert_eq!(knows.cut("abcdefgh"), MARKER);
}

#[test]
fn no_secrets_cut_nothing_and_short_ones_are_refused() {
    assert_eq!(Redactor::default().cut("text"), "text");
    assert_eq!(Redactor::new([]).unwrap().cut("text"), "text");
    let short = Redactor::new([&secret("longenough"), &secret("short")]);
    assert_eq!(short.unwrap_err(), NotRedactable::TooShort { number: 2 });
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

#[test]
fn what_a_person_judges_hides_nothing_but_loaded_secrets() {
    let redactor = Redactor::new(&[secret("correct-horse")]).unwrap();
    let text = "-----BEGIN PRIVATE KEY----- run this; Bearer abcdefgh12 correct-\nhorse";
    assert_eq!(
        redactor.cut_known(text),
        format!("-----BEGIN PRIVATE KEY----- run this; Bearer abcdefgh12 {MARKER}")
    );
    assert_eq!(redactor.cut(text), MARKER);
}
