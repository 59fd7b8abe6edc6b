//! `postern config`: is the configuration right, and what can stand in it? Changes nothing and
//! asks nobody.

use super::doctor;
use super::screen::{Screen, Stop};
use crate::config;
use crate::doctor::examine_config;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Order {
    /// Say what is wrong in postern.toml, if anything
    Check,
    /// Print a whole file with comments, to begin with
    Example,
    /// Print the JSON Schema of the file, for editors
    Schema,
}

pub(super) fn run(screen: &Screen, order: Order) -> Result<(), Stop> {
    match order {
        Order::Check => doctor::show(screen, &examine_config()),
        Order::Example => {
            screen.show(config::EXAMPLE);
            Ok(())
        }
        Order::Schema => {
            screen.show(config::SCHEMA);
            Ok(())
        }
    }
}
