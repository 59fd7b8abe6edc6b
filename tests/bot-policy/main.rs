//! The promises of `bot-policy`, one module for each of its own.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod access;
mod address;
mod alike;
mod always;
mod amend;
mod approval;
mod call;
mod card;
mod choice;
mod commands;
mod decide;
mod egress;
mod grants;
mod hostile;
mod id;
mod laws;
mod layout;
mod mail;
mod metadata;
mod net;
mod pairing;
mod pairs;
mod path;
mod probes;
mod project;
mod proven;
mod reach;
mod receipt;
mod redaction_rows;
mod risk;
mod risk_rows;
mod rule_rows;
mod rules;
mod secret;
mod sensitive;
mod shell;
mod shell_brush;
mod shell_evaded;
mod shell_hostile;
mod shell_laws;
mod shell_line;
mod site;
mod small_stack;
mod surface;
mod taint;
mod tool;
mod visible;
mod world;
mod worlds;
