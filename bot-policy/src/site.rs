//! Is this host the one that a person takes it for? Names that hide another script are told.

/// A warning for the card of a host whose name does not read as it looks; none for a plain one.
///
/// Registered domains are not told apart yet: whoever needs that must treat every host as a
/// domain of its own.
pub fn warning(host: &str) -> Option<&'static str> {
    let is_encoded = host.split('.').any(|label| {
        label
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
    });
    if is_encoded {
        Some("this name stands for one in another script")
    } else if !host.is_ascii() {
        Some("this name has letters outside ASCII that may look like others")
    } else {
        None
    }
}
