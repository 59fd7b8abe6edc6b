//! Hosts that do not read as they look.

use bot_policy::site::warning;

#[test]
fn names_of_another_script_are_told() {
    assert_eq!(warning("example.org"), None);
    assert_eq!(
        warning("www.XN--pple-43d.com"),
        Some("this name stands for one in another script")
    );
    let told = Some("this name has letters outside ASCII that may look like others");
    assert_eq!(warning("\u{430}pple.com"), told);
}
