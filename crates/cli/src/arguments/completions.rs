//! The options of the commands that describe the command line: completions and manual pages.

#[cfg(feature = "man")]
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: windlass completions bash > ~/.local/share/bash-completion/completions/windlass\n\
Example: windlass completions zsh > ~/.zfunc/_windlass\n\
Example: windlass completions fish > ~/.config/fish/completions/windlass.fish"
)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[cfg(feature = "man")]
#[derive(Debug, Args)]
#[command(after_help = "Example: cargo xtask man")]
pub(crate) struct Man {
    /// Folder for the pages. It is created if it does not exist.
    pub(crate) folder: PathBuf,
}
