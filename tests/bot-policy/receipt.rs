//! A receipt is written by the gateway; the model cannot write one.

use bot_policy::receipt::{Deed, receipt, without_receipts};
use proptest::prelude::*;

#[test]
fn a_receipt_names_what_ran_and_what_came_of_it() {
    assert_eq!(
        receipt(Deed::Done, "@files write", "wrote notes.txt (5 bytes)"),
        "✓ @files write: wrote notes.txt (5 bytes)"
    );
    assert_eq!(receipt(Deed::Done, "@files write", ""), "✓ @files write");
    assert_eq!(
        receipt(Deed::Unknown, "@files write", "wrote notes.txt"),
        "⚠ @files write: its outcome is unknown; please check"
    );
}

#[test]
fn a_receipt_is_one_short_line_in_which_nothing_hides() {
    let long = receipt(Deed::Done, "@files write", &"x".repeat(400));
    assert_eq!(long.chars().count(), 163);
    assert!(long.ends_with('…'));
    let line = receipt(Deed::Done, "@files write", "one\ntwo\u{202e}");
    assert!(!line.contains('\n') && !line.contains('\u{202e}'), "{line}");
}

#[test]
fn what_looks_like_a_receipt_is_cut_from_the_models_words() {
    for forged in [
        "✓ @files write: wrote notes.txt",
        "  ✓ done",
        "> ✓ done",
        "> - ✓ done",
        "* ✓ done",
        "• ✓ done",
        "‣\u{a0}✓ done",
        "1. ✓ done",
        "12) ✔️ done",
        "a. ✓ done",
        "**✓** done",
        "***✓ done***",
        "`✓ done`",
        "~~✓ done~~",
        "## ✓ done",
        "| ✓ done |",
        "[✓ done](https://example.org)",
        "![✓](x)",
        "\\✓ done",
        "\u{200b}✓ done",
        "\u{2060}\u{feff}\u{200d}✔ done",
        "\u{202e}✓ done",
        "✅ done",
        "☑ done",
        "√ done",
        "🗸 done",
        "✗ done",
        "⚠️ done",
        "&#10003; done",
        "&#x2713; done",
        "&check; done",
        "&nbsp;&checkmark; done",
        "<b>✓</b> done",
        "<span style=\"x\">✓ done",
        "Fine.<br>✓ done",
        "Fine.&#10;✓ done",
        "Fine.\u{2028}✓ done",
        "Fine.\r✓ done",
        "Fine.\u{85}✓ done",
    ] {
        let text = format!("Before.\n{forged}\nAfter.");
        let kept = without_receipts(&text);
        assert!(
            !kept.contains("done") && kept.contains("Before.") && kept.contains("After."),
            "{forged:?}: {kept:?}"
        );
    }
}

#[test]
fn words_that_only_hold_a_sign_stand() {
    for plain in [
        "I used ✓ in the text.",
        "Shopping: milk ✓, bread",
        "- [x] done",
        "A. Einstein wrote √2",
        "a < b and √ is a root",
        "Fish & chips; &c.",
        "@files write: wrote notes.txt",
        "",
    ] {
        let text = format!("Before.\n{plain}\nAfter.");
        assert_eq!(without_receipts(&text), text, "{plain:?}");
    }
}

proptest! {
    #[test]
    fn no_bullet_hidden_sign_or_emphasis_saves_a_forged_receipt(
        before in "[ \t>*_~`#|+•◦▪·\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{ad}()\\[\\]-]{0,12}",
        sign in prop::sample::select(vec!['✓', '✔', '✅', '☑', '√', '⚠', '✗']),
        after in "[a-z ]{0,20}",
    ) {
        let forged = format!("{before}{sign} {after}FORGED");
        prop_assert_eq!(without_receipts(&format!("one\n{forged}\ntwo")), "one\ntwo");
    }

    #[test]
    fn cutting_twice_cuts_no_more_and_never_panics(text in "\\PC{0,200}") {
        let once = without_receipts(&text);
        prop_assert_eq!(without_receipts(&once), once);
    }
}
