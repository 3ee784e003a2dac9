//! Names of confinements, autonomies and sets of tools.

use clap::ValueEnum;

/// Confinement of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxName {
    /// With the strongest level that this machine supports.
    #[default]
    Auto,
    /// With namespaces; fail if they are not available.
    Required,
    /// Without confinement: each command has all rights of the user.
    Off,
}

/// Actions that a run performs without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutonomyName {
    /// Ask if no rule decides. Confined commands that only read run in each level but headless.
    #[default]
    Ask,
    /// Allow only reading; deny everything else.
    ReadOnly,
    /// Also change files in the workspace without asking.
    AutoEdit,
    /// Never ask: deny if no rule allows.
    Headless,
}

/// Set of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetName {
    /// Read, write and edit files, run commands.
    Minimal,
    /// The tools of a coding agent.
    Standard,
    /// All tools.
    Full,
}
