//! The words and the judgements of Postern: facts go in, judgements come out.
//!
//! ```text
//!            InboundEvent                 Call
//!                 |                        |
//!   taint::label  v                        v   tool::effects
//!   access::admit -> Serve(Scope) ...  decide -> Allow(Permit) | Ask(Question) | Deny(Reason)
//!                                              |
//!                             approval::redeem(question, press, standing, now) -> Permit
//! ```
//!
//! Nothing here reads a clock, the environment, a file or the network; whatever a judgement
//! needs is an argument. Every function is total: it answers for any input and never panics.

pub mod access;
pub mod approval;
pub mod bots;
pub mod call;
pub mod card;
pub mod choice;
mod command;
pub mod decide;
pub mod effective;
pub mod egress;
pub mod event;
mod glob;
pub mod grants;
pub mod id;
pub mod mail;
pub mod message;
pub mod metadata;
pub mod net;
mod offers;
mod own;
pub mod pairing;
pub mod path;
mod permissive;
mod punycode;
pub mod receipt;
pub mod risk;
mod rows;
pub mod rules;
pub mod secret;
pub mod security;
pub mod sensitive;
pub mod shell;
mod shell_rows;
pub mod site;
mod spoken;
pub mod surface;
mod table;
pub mod taint;
pub mod tool;
pub mod visible;
