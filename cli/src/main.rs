//! The program `links`.

use std::process::ExitCode;

fn main() -> ExitCode {
    links_cli::main(std::env::args_os())
}
