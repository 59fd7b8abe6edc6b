//! Which file does this path mean? Paths by their words alone, without looking at a disk.

/// A path with `.`, `..` and doubled slashes resolved. None where it cannot mean one file below
/// its start: it climbs out, or holds a control character.
pub fn normal(path: &str) -> Option<String> {
    if path.chars().any(char::is_control) {
        return None;
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", segments.join("/")))
}

/// Whether `path` is `folder` or lies below it; both normal.
pub fn is_within(path: &str, folder: &str) -> bool {
    match path.strip_prefix(folder) {
        None => false,
        Some("") => true,
        Some(rest) => match folder {
            "" => !path.starts_with('/'),
            "/" => true,
            _ => rest.starts_with('/'),
        },
    }
}
