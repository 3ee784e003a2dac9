//! `windlass completions`: the completion script of a shell. With the feature `man`, also the manual pages.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::arguments::{Completions, Windlass};
use crate::output;

/// Name of the program in scripts and pages.
const PROGRAM: &str = "windlass";

pub(crate) fn completions(arguments: &Completions) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Windlass::command(), PROGRAM, &mut script);
    output::content(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page for the program and for each command that is not hidden.
#[cfg(feature = "man")]
pub(crate) fn write_pages(arguments: &crate::arguments::Man) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&arguments.folder)?;
    let mut command = Windlass::command().disable_help_subcommand(true);
    command.build();
    let count = write_page(&command, PROGRAM, &arguments.folder)?;
    output::note(&format!("{} in {}", windlass_text::count_noun(count, "page"), arguments.folder.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and those of the commands below it, and returns their number.
#[cfg(feature = "man")]
fn write_page(command: &clap::Command, name: &str, folder: &std::path::Path) -> anyhow::Result<usize> {
    let mut page = Vec::new();
    // The library takes static names, and the process ends after the pages.
    clap_mangen::Man::new(command.clone().name(&*name.to_owned().leak())).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    let mut count = 1_usize;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        count = count.saturating_add(write_page(inner, &format!("{name}-{}", inner.get_name()), folder)?);
    }
    Ok(count)
}
