//! `windlass-confine`: the helper process for programs that have no subcommand of their own for it.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlass_sandbox::confine_and_exec(std::env::args_os().skip(1))
}
