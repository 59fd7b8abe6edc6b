//! What the adapters promise.

mod web;
