//! What happens to a person, told through the real program, on both adapters.

#[macro_use]
pub(crate) mod chat;
pub(crate) mod house;

mod asking;
mod audit;
mod cards;
mod crash;
mod delegating;
mod durable;
mod files_in;
mod groups;
mod incognito;
mod keeping;
mod memories;
mod poison;
mod presses;
mod quiet;
mod receipts;
mod states;
mod steering;
mod strangers;
mod terminal;
mod trouble;
mod unpair;
mod web;
mod workspace;
