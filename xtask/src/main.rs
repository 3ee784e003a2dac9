//! The project's development commands: `cargo xtask ci`, `fresh`, `tidy`, `layers`, `circles`, `fuzz`,
//! `bench`, `corpora`, `redteam`, `crash`, `durable`, `sdk`, `clients`, `judges`, `load`, `mcp`, `browser`, `acp`,
//! `temporal`, `man`, `picture`, `release`, `cross`, `semver`, `simulate`.
#![expect(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a developer's tool: it prints, times, reads files and starts cargo"
)]

#[macro_use]
mod output;

mod acp;
mod arguments;
mod capture;
mod install;
mod project;

mod bench;
mod browser;
mod ci;
mod circles;
mod clients;
mod corpora;
mod cross;
mod durable;
mod fetch;
mod fresh;
mod fuzz;
mod judges;
mod layers;
mod load;
mod man;
mod mcp;
mod needs;
mod npm;
mod picture;
mod redteam;
mod release;
mod sdk;
mod semver;
mod server;
mod simulate;
mod temporal;
mod tidy;
mod venv;

use std::process::ExitCode;

use xshell::Shell;

use crate::arguments::Arguments;

/// A command: its name, its help text, and its function.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&Shell, Arguments) -> anyhow::Result<ExitCode>,
}

const COMMANDS: &[Command] = &[
    Command { name: "ci", help: ci::HELP, run: ci::run },
    Command { name: "fresh", help: fresh::HELP, run: fresh::run },
    Command { name: "tidy", help: tidy::HELP, run: tidy::run },
    Command { name: "layers", help: layers::HELP, run: layers::run },
    Command { name: "circles", help: circles::HELP, run: circles::run },
    Command { name: "fuzz", help: fuzz::HELP, run: fuzz::run },
    Command { name: "bench", help: bench::HELP, run: bench::run },
    Command { name: "corpora", help: corpora::HELP, run: corpora::run },
    Command { name: "redteam", help: redteam::HELP, run: redteam::run },
    Command { name: "crash", help: redteam::CRASH_HELP, run: redteam::crash },
    Command { name: "durable", help: durable::HELP, run: durable::run },
    Command { name: "sdk", help: sdk::HELP, run: sdk::run },
    Command { name: "clients", help: clients::HELP, run: clients::run },
    Command { name: "judges", help: judges::HELP, run: judges::run },
    Command { name: "load", help: load::HELP, run: load::run },
    Command { name: "mcp", help: mcp::HELP, run: mcp::run },
    Command { name: "browser", help: browser::HELP, run: browser::run },
    Command { name: "acp", help: acp::HELP, run: acp::run },
    Command { name: "temporal", help: temporal::HELP, run: temporal::run },
    Command { name: "man", help: man::HELP, run: man::run },
    Command { name: "picture", help: picture::HELP, run: picture::run },
    Command { name: "release", help: release::HELP, run: release::run },
    Command { name: "cross", help: cross::HELP, run: cross::run },
    Command { name: "semver", help: semver::HELP, run: semver::run },
    Command { name: "simulate", help: simulate::HELP, run: simulate::run },
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    if matches!(name.as_str(), "" | "help" | "-h" | "--help") {
        print_overview();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("error: unknown command `{name}`; `cargo xtask --help` lists them");
        return ExitCode::FAILURE;
    };
    let words: Vec<String> = words.collect();
    if words.iter().any(|word| word == "-h" || word == "--help") {
        println!("{}", command.help);
        return ExitCode::SUCCESS;
    }
    start(command, words).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Runs a command in the project's root, wherever cargo was called.
fn start(command: &Command, words: Vec<String>) -> anyhow::Result<ExitCode> {
    let sh = Shell::new()?;
    sh.change_dir(project::root());
    (command.run)(&sh, Arguments::new(words))
}

/// Returns the first line of a help text after its usage.
fn summarize(help: &str) -> &str {
    help.lines().skip_while(|line| !line.is_empty()).find(|line| !line.is_empty()).unwrap_or_default()
}

fn print_overview() {
    println!("cargo xtask COMMAND [--help]\n");
    for command in COMMANDS {
        println!("  {:<8} {}", command.name, summarize(command.help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_summary() {
        for command in COMMANDS {
            let summary = summarize(command.help);
            let is_sentence = summary.split(' ').count() > 2 && summary.ends_with('.');
            assert!(is_sentence && !summary.starts_with("cargo"), "{}: {summary}", command.name);
        }
        assert_eq!(summarize("cargo xtask a [--b]\n            [--c]\n\nDoes it.\nMore."), "Does it.");
    }
}
