//! tests

mod cli;
mod compose;
mod config;
mod folder;
mod keeper;
mod listen;
mod socket;
