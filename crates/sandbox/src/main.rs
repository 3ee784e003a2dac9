//! `windlass-confine`: the helper process for programs that do not have a subcommand for it.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlass_sandbox::confine_and_exec(std::env::args_os().skip(1))
}
