//! What did a change change? The lines that went and came, with a little of what stands around.

/// Lines shown before and after a change.
const AROUND: usize = 3;

/// The change from one text to another: `-` and `+` before what went and came. One stretch, from
/// the first line that differs to the last; linear in both texts.
pub(super) fn changed(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(&new).take_while(same).count();
    let rest = |lines: &[&str]| lines.len().saturating_sub(head);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same);
    let tail = tail.count().min(rest(&old)).min(rest(&new));
    let middle = |lines: &[&str], mark: char| -> Vec<String> {
        let end = lines.len().saturating_sub(tail);
        let lines = lines.get(head..end).unwrap_or_default().iter();
        lines.map(|line| format!("{mark}{line}")).collect()
    };
    let (gone, come) = (middle(&old, '-'), middle(&new, '+'));
    if gone.is_empty() && come.is_empty() {
        return "(no line is different)".to_owned();
    }
    let from = head.saturating_sub(AROUND);
    let around =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| format!(" {line}")).collect() };
    let lead = around(old.get(from..head).unwrap_or_default());
    let end = old.len().saturating_sub(tail);
    let to = (end + AROUND).min(old.len());
    let trail = around(old.get(end..to).unwrap_or_default());
    let mut lines = vec![format!("@@ line {} @@", head + 1)];
    lines.extend([lead, gone, come, trail].into_iter().flatten());
    lines.join("\n")
}
