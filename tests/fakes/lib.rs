//! Strict loopback servers: each refuses what its platform refuses, with the platform's own words.

pub mod brave;
pub mod discord;
pub mod model;
mod shared;
pub mod site;
pub mod slack;
pub mod telegram;
pub mod whatsapp;
