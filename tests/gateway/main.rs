//! What the gateway promises.

mod http;
mod http_desk;
mod http_wire;

mod cli;
mod cli_running;
mod cli_screen;
mod compose;
mod config;
mod folder;
mod keeper;
mod listen;
mod socket;

mod stories;
