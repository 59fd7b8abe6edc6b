//! `postern audit verify`: whether the audit still says what was written into it.

use super::existing_data;
use super::screen::{Screen, Stop};
use crate::store::{Verified, verify_audit};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Order {
    /// Check that no entry was changed, taken out or put in
    Verify,
}

pub(super) fn run(screen: &Screen, order: Order) -> Result<(), Stop> {
    match order {
        Order::Verify => verify(screen),
    }
}

fn verify(screen: &Screen) -> Result<(), Stop> {
    match verify_audit(&existing_data()?)? {
        Verified::Whole { entries: 0, .. } => {
            screen.show("The audit is empty.\n");
            Ok(())
        }
        Verified::Whole { entries, head } => {
            let entries = match entries {
                1 => "1 entry".to_owned(),
                entries => format!("{entries} entries"),
            };
            screen.show(&format!(
                "The audit is whole: {entries}, the last with the hash {head}.\n\
                 Keep that hash elsewhere to see later that nothing was taken off the end.\n"
            ));
            Ok(())
        }
        Verified::Broken { seq, why } => Err(Stop::Because(format!(
            "the audit is broken at entry {seq}: {why}; what comes before it still stands, and a backup may hold the rest"
        ))),
    }
}
