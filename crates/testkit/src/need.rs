//! The programs, data and abilities that tests need and that not every machine has.

use std::fmt::{self, Display};

/// The variable that turns skipped cases into failures: `1` for all needs, or the names of needs with commas
/// between them.
pub const STRICT: &str = "WINDLASS_STRICT";

/// A requirement of a test that a machine may lack, such as a program or a kernel feature.
///
/// A test without its requirement prints a line `skipped: NEED: REASON` and ends; if [`STRICT`] names the
/// requirement, the test fails. The macro [`require!`](crate::require) does this for a whole test,
/// [`Need::check`] for one of its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "`cargo xtask ci` has a probe for each of them")]
pub enum Need {
    /// The catalogue of attacks that is stored outside the repository.
    Attacks,
    /// The shell `bash`.
    Bash,
    /// The browser Chromium.
    Browser,
    /// Confinement of a process by bubblewrap.
    Bubblewrap,
    /// The cargo that built the test, and the version of the compiler whose messages are recorded.
    Compiler,
    /// The recorded streams and conformance suites that are stored outside the repository.
    Corpora,
    /// A file system with access lists and extended attributes.
    FileAttributes,
    /// The program `git`.
    Git,
    /// Confinement of a process by Landlock.
    Landlock,
    /// Third-party MCP servers, which `cargo xtask mcp --install` installs.
    McpServers,
    /// Confinement of a process by unprivileged user namespaces.
    Namespaces,
    /// The program `node`.
    Node,
    /// A folder from which a user other than root can start a program.
    OtherUser,
    /// The programs `initdb` and `pg_ctl` of PostgreSQL.
    Postgres,
    /// Limits on the number of processes and on the memory of a process tree (control groups).
    ProcessLimits,
    /// The program `python3`.
    Python,
    /// A disk with a fixed number of files, on which other programs free no space while the test fills it.
    QuietDisk,
    /// A git checkout of this repository.
    Repository,
    /// The program `rg`.
    Ripgrep,
    /// The server of Temporal, which `cargo xtask temporal` installs.
    Temporal,
    /// The npm packages of `crates/ui-stream/tests/npm`, which `npm install` installs.
    UiClients,
}

impl Need {
    /// All needs, in the order of their names.
    pub const ALL: [Self; 21] = [
        Self::Attacks,
        Self::Bash,
        Self::Browser,
        Self::Bubblewrap,
        Self::Compiler,
        Self::Corpora,
        Self::FileAttributes,
        Self::Git,
        Self::Landlock,
        Self::McpServers,
        Self::Namespaces,
        Self::Node,
        Self::OtherUser,
        Self::Postgres,
        Self::ProcessLimits,
        Self::Python,
        Self::QuietDisk,
        Self::Repository,
        Self::Ripgrep,
        Self::Temporal,
        Self::UiClients,
    ];

    /// Returns the name of the need in [`STRICT`] and in skip lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attacks => "attacks",
            Self::Bash => "bash",
            Self::Browser => "browser",
            Self::Bubblewrap => "bubblewrap",
            Self::Compiler => "compiler",
            Self::Corpora => "corpora",
            Self::FileAttributes => "file-attributes",
            Self::Git => "git",
            Self::Landlock => "landlock",
            Self::McpServers => "mcp-servers",
            Self::Namespaces => "namespaces",
            Self::Node => "node",
            Self::OtherUser => "other-user",
            Self::Postgres => "postgres",
            Self::ProcessLimits => "process-limits",
            Self::Python => "python",
            Self::QuietDisk => "quiet-disk",
            Self::Repository => "repository",
            Self::Ripgrep => "ripgrep",
            Self::Temporal => "temporal",
            Self::UiClients => "ui-clients",
        }
    }

    /// Returns the value that the test found. If the value is missing, prints one line that starts with `skipped:`
    /// to stderr and returns `None`.
    ///
    /// # Panics
    /// The value is missing and [`STRICT`] names this need, or [`STRICT`] contains an unknown name.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "`cargo xtask ci` collects the line")]
    pub fn check<F: SearchOutcome>(self, found: F) -> Option<F::Value> {
        match found.into_found() {
            Ok(value) => Some(value),
            Err(reason) => {
                let setting = std::env::var(STRICT).unwrap_or_default();
                assert!(!self.is_strict(&setting), "{STRICT} is {setting:?} and {self} is missing: {reason}");
                eprintln!("skipped: {self}: {reason}");
                None
            }
        }
    }

    /// Returns whether a missing value is a failure under this setting.
    fn is_strict(self, setting: &str) -> bool {
        let names = || setting.split(',').map(str::trim);
        let is_known = |name: &str| Self::ALL.iter().any(|need| need.name() == name);
        match setting {
            "" | "0" => false,
            "1" => true,
            _ => {
                let unknown: Vec<_> = names().filter(|name| !is_known(name)).collect();
                assert!(unknown.is_empty(), "{STRICT} contains unknown names: {unknown:?}");
                names().any(|name| name == self.name())
            }
        }
    }
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The outcome of a search for something that a test needs.
pub trait SearchOutcome {
    /// The type of the found value.
    type Value;

    /// Returns the value, or the reason why it is missing.
    ///
    /// # Errors
    /// The value is missing.
    fn into_found(self) -> Result<Self::Value, String>;
}

impl<T> SearchOutcome for Option<T> {
    type Value = T;

    fn into_found(self) -> Result<T, String> {
        self.ok_or_else(|| "not found".to_owned())
    }
}

impl<T, E: Display> SearchOutcome for Result<T, E> {
    type Value = T;

    fn into_found(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}

impl SearchOutcome for bool {
    type Value = ();

    fn into_found(self) -> Result<(), String> {
        self.then_some(()).into_found()
    }
}

/// Returns the value that a test needs. If the value is missing, the test ends as skipped, or fails where
/// [`STRICT`](crate::need::STRICT) names the need.
///
/// The value is an `Option`, a `Result` whose error is the reason, or a `bool`. The macro returns from the
/// calling function, which must return `()`.
///
/// ```
/// use windlass_testkit::{Need, require};
///
/// fn a_commit_has_an_author() {
///     let version = require!(Need::Git, std::process::Command::new("git").arg("--version").output());
///     assert!(version.stdout.starts_with(b"git version"));
/// }
/// # a_commit_has_an_author();
/// ```
#[macro_export]
macro_rules! require {
    ($need:expr, $found:expr $(,)?) => {{
        let ::core::option::Option::Some(found) = $crate::Need::check($need, $found) else { return };
        found
    }};
}

#[cfg(test)]
mod tests {
    use super::Need;

    #[test]
    fn only_named_needs_are_strict() {
        for (setting, is_strict) in [
            ("", false),
            ("0", false),
            ("1", true),
            ("git", true),
            ("browser", false),
            ("browser, git", true),
        ] {
            assert_eq!(Need::Git.is_strict(setting), is_strict, "{setting:?}");
        }
    }

    #[test]
    #[should_panic = "unknown names: [\"gitt\"]"]
    fn a_misspelled_need_is_refused() {
        Need::Browser.is_strict("browser,gitt");
    }

    #[test]
    fn the_list_has_each_need_once_in_order() {
        assert!(Need::ALL.map(Need::name).is_sorted_by(|one, other| one < other));
    }
}
