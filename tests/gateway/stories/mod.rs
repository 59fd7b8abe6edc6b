//! What happens to a person, told through the real program, on every adapter.

#[macro_use]
pub(crate) mod chat;
pub(crate) mod house;
mod platforms;

mod albums;
mod answers_kept;
mod asking;
mod audit;
mod cards;
mod coding;
mod coding_more;
mod console;
mod crash;
mod delegating;
mod discord;
mod disk;
mod durable;
mod files_in;
mod files_out;
mod groups;
mod incognito;
mod keeping;
mod kill;
mod letters;
mod memories;
mod mind;
mod mind_budget;
mod mind_preview;
mod mind_trouble;
mod poison;
mod presses;
mod projects;
mod quiet;
mod receipts;
mod risk;
mod states;
mod steering;
mod strangers;
mod terminal;
mod tmux;
mod trouble;
mod unpair;
mod web;
mod webhooks;
mod workspace;
