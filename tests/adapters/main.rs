//! What the adapters promise.

mod conformance;
mod layout;
mod markup;
mod telegram;
mod telegram_decode;
mod telegram_encode;
mod web;
