//! Which file a path means.

use bot_policy::path::{is_within, normal};

#[test]
fn dots_and_doubled_slashes_are_resolved() {
    for (path, meant) in [
        ("a/./b//c/", Some("a/b/c")),
        ("/a/../b", Some("/b")),
        ("a/..", Some("")),
        ("..a/b..", Some("..a/b..")),
        ("/", Some("/")),
        ("", Some("")),
        ("../a", None),
        ("/..", None),
        ("a/../../b", None),
        ("a\0b", None),
    ] {
        assert_eq!(normal(path).as_deref(), meant, "{path}");
    }
}

#[test]
fn a_folder_holds_what_is_below_it_and_not_what_only_begins_alike() {
    for (path, folder, within) in [
        ("a/b", "a", true),
        ("a", "a", true),
        ("ab", "a", false),
        ("a.rs", "a", false),
        ("a", "", true),
        ("/a", "", false),
        ("/a", "/", true),
        ("a", "/", false),
    ] {
        assert_eq!(is_within(path, folder), within, "{path} in {folder}");
    }
}
