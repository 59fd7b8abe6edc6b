//! `postern config check`: is the configuration right? Changes nothing and asks nobody.

use super::doctor;
use super::screen::{Screen, Stop};
use crate::doctor::examine_config;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Order {
    /// Say what is wrong in postern.toml, if anything
    Check,
}

pub(super) fn run(screen: &Screen, order: Order) -> Result<(), Stop> {
    match order {
        Order::Check => doctor::show(screen, &examine_config()),
    }
}
