//! The program `postern`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    Ok(gateway::cli::main()?)
}
