//! `postern doctor`: looks at everything; fails when something does not work.

use std::fmt::Write;

use super::screen::{Paint, Screen, Stop, counted, outside};
use crate::doctor::{Check, Verdict, examine};

pub(super) async fn run(screen: &Screen) -> Result<(), Stop> {
    let checks = examine().await;
    show(screen, &checks)
}

/// Shows checks; stops when one failed.
pub(super) fn show(screen: &Screen, checks: &[Check]) -> Result<(), Stop> {
    screen.show(&render(checks, screen.paint()));
    if checks.iter().any(|check| check.verdict == Verdict::Fail) {
        Err(Stop::Shown)
    } else {
        Ok(())
    }
}

fn render(checks: &[Check], paint: Paint) -> String {
    let mut text = String::new();
    for check in checks {
        let verdict = paint.verdict(check.verdict);
        let _ = writeln!(
            text,
            "{verdict}  {}: {}",
            outside(&check.what),
            outside(&check.say)
        );
    }
    let count = |verdict| {
        let found = checks
            .iter()
            .filter(|check| check.verdict == verdict)
            .count();
        i64::try_from(found).unwrap_or(i64::MAX)
    };
    text.push_str(&match (count(Verdict::Fail), count(Verdict::Warn)) {
        (0, 0) => "All is well.\n".to_owned(),
        (0, warned) => format!("It works, with {}.\n", counted(warned, "warning")),
        (failed, _) => format!("{} to mend.\n", counted(failed, "thing")),
    });
    text
}
