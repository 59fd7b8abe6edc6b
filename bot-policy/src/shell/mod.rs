//! What would a command line do? Not judged yet, so the table lets none run.

pub mod immune;
