//! What the adapters promise.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used
)]

mod conformance;
mod discord;
mod layout;
mod letters;
mod markup;
mod secret_source;
mod slack;
mod telegram;
mod web;
mod whatsapp;
