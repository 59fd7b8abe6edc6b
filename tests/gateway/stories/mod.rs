//! What happens to a person, told through the real program, on both adapters.

#[macro_use]
pub(crate) mod chat;
pub(crate) mod house;

mod audit;
mod cards;
mod crash;
mod durable;
mod files_in;
mod groups;
mod mind;
mod mind_budget;
mod mind_preview;
mod mind_trouble;
mod poison;
mod presses;
mod strangers;
mod terminal;
mod trouble;
mod unpair;
mod web;
mod workspace;
