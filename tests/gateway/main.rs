//! What the gateway promises.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod cli;
mod cli_running;
mod cli_screen;
mod compose;
mod config;
mod folder;
mod http;
mod http_desk;
mod http_wire;
mod keeper;
mod listen;
mod socket;
