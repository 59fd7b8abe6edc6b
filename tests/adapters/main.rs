//! What the adapters promise.

mod conformance;
mod layout;
mod markup;
mod telegram;
mod web;
