//! Does every adapter state the facts, send what fits, and keep its secrets?

mod conformance;
mod layout;
mod markup;
mod telegram;
mod telegram_decode;
mod telegram_encode;
