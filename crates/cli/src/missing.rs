//! Commands that this build does not have.

use std::process::ExitCode;

use clap::Args;

/// Arguments of a command whose cargo feature is not enabled. Takes any arguments, so that the command can
/// name the feature.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct MissingFeature {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<String>,
}

/// Fails with the cargo feature that the command needs.
pub(crate) fn refuse(feature: &str) -> anyhow::Result<ExitCode> {
    anyhow::bail!(
        "this build lacks the command; install one that has it with `cargo install windlass-cli --features \
         {feature}`"
    )
}
