//! The commands for the settings of `config.toml`, and for trust in folders.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass config list\n\
Example: windlass config set model gpt-5-mini\n\
Example: windlass config set budget.cost 2.50 --profile careful\n\
Example: windlass config get autonomy --json")]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// Options of commands that read the settings.
#[derive(Debug, Args)]
pub(crate) struct ConfigView {
    /// Folder whose project file is also read.
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
    /// Profile of the user's file.
    #[arg(long = "profile", id = "shown_profile", value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print lines of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the settings with their values and the source of each value.
    #[command(after_help = "Example: windlass config list --all")]
    List {
        /// Also list settings that no file and no variable sets.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        view: ConfigView,
    },
    /// Print the value of a setting and its source.
    #[command(after_help = "Example: windlass config get autonomy --json")]
    Get {
        /// Name of the setting.
        #[arg(value_name = "KEY")]
        key: String,
        #[command(flatten)]
        view: ConfigView,
    },
    /// Set a value in your file. Comments and the order of the file are kept.
    #[command(after_help = "Example: windlass config set model gpt-5-mini\n\
Example: windlass config set notify.command notify-send")]
    Set {
        /// Name of the setting.
        #[arg(value_name = "KEY")]
        key: String,
        /// The value. Items of a list are separated by commas.
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Set the value in this profile.
        #[arg(long = "profile", id = "changed_profile", value_name = "NAME")]
        profile: Option<String>,
    },
    /// Remove a value from your file.
    #[command(after_help = "Example: windlass config unset budget.cost --profile careful")]
    Unset {
        /// Name of the setting.
        #[arg(value_name = "KEY")]
        key: String,
        /// Remove the value from this profile.
        #[arg(long = "profile", id = "changed_profile", value_name = "NAME")]
        profile: Option<String>,
    },
    /// Print the path of your file.
    #[command(after_help = "Example: windlass config path")]
    Path,
    /// Open your file in the editor of VISUAL or EDITOR, and check it afterwards.
    #[command(after_help = "Example: VISUAL=vim windlass config edit")]
    Edit,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Example: windlass trust show\nExample: windlass trust .\nExample: windlass trust list\n\
Example: windlass trust remove ../old-project"
)]
pub(crate) struct Trust {
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// Folder to trust. Its instruction files then reach the model, its skills are offered, and its hooks run.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Print lines of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Show the files of a folder that count only with trust, without changing anything.
    #[command(after_help = "Example: windlass trust show ../project")]
    Show {
        /// The folder.
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the trusted folders.
    #[command(after_help = "Example: windlass trust list --json")]
    List {
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
    /// End the trust in a folder.
    #[command(after_help = "Example: windlass trust remove ../old-project")]
    Remove {
        /// The folder.
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass hooks list\nExample: windlass hooks list --root ../project --json")]
pub(crate) struct Hooks {
    #[command(subcommand)]
    pub(crate) command: HooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List the hooks that a run in a folder starts, and the entries that do not count.
    #[command(after_help = "Example: windlass hooks list --root ../project --json")]
    List {
        /// The folder.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print lines of JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass login anthropic\nExample: windlass login openrouter --browser\n\
Example: windlass login anthropic --keyring\n\
Example: op read op://private/openai/key | windlass login openai")]
pub(crate) struct Login {
    /// Name of the provider; `windlass models` lists them. The key is read from the terminal, or from a pipe.
    #[arg(value_name = "PROVIDER")]
    pub(crate) provider: String,
    /// Sign in with the browser, and store the key that the provider then creates for this program. Of the built-in
    /// providers openrouter has such a sign-in.
    #[arg(long)]
    pub(crate) browser: bool,
    /// Store the key in the keyring of the system instead of a file, with `secret-tool` (Linux) or `security` (macOS).
    #[arg(long)]
    pub(crate) keyring: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass logout anthropic")]
pub(crate) struct Logout {
    /// Name of the provider.
    #[arg(value_name = "PROVIDER")]
    pub(crate) provider: String,
}
