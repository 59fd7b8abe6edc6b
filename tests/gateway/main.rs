//! What the gateway promises.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used
)]

mod cli;
mod cli_code;
mod cli_qr;
mod cli_running;
mod cli_screen;
mod cli_tools;
mod compose;
mod config;
mod config_judging;
mod config_model;
mod folder;
mod http;
mod http_admin;
mod http_console;
mod http_desk;
mod http_doors;
mod http_streams;
mod http_wire;
mod keep;
mod keeper;
mod layout;
mod listen;
mod plans;
mod rules;
mod rules_document;
mod rules_tried;
mod socket;
mod writer;

#[macro_use]
mod stories;

mod attacks;
mod attacks_on_files;
mod attacks_on_the_house;

mod secrets;
mod written;
