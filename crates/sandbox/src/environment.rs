//! The environment variables of a child process: an allow-list of the host's variables.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

/// The variables that are passed on if the host has them, besides the locale (`LC_*`).
const KEPT: [&str; 8] = ["PATH", "HOME", "LANG", "TMPDIR", "TERM", "USER", "LOGNAME", "TZ"];

/// Parts of a name that indicate a secret (RULES Q2).
const SECRET_PARTS: [&str; 6] = ["KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Variables from which loaders and interpreters take code. They are never passed on.
const CODE_PREFIXES: [&str; 3] = ["LD_", "DYLD_", "BASH_FUNC_"];
const CODE_NAMES: [&str; 6] = ["BASH_ENV", "ENV", "PROMPT_COMMAND", "PERL5OPT", "PYTHONSTARTUP", "IFS"];

/// The environment of a child process: an allow-list for the host's variables, and variables with fixed
/// values.
///
/// ```
/// use windlass_sandbox::ChildEnvironment;
///
/// let host = [("PATH", "/usr/bin"), ("OPENAI_API_KEY", "sk-1"), ("EDITOR", "vi"), ("RUST_LOG", "info")];
/// let child = ChildEnvironment::new().with_name("RUST_LOG").with_value("PAGER", "cat");
/// let met = child.from_host(host.map(|(name, value)| (name.into(), value.into())));
/// let names: Vec<_> = met.iter().map(|(name, _)| name.to_str().unwrap()).collect();
/// assert_eq!(names, ["PATH", "RUST_LOG", "PAGER"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildEnvironment {
    names: BTreeSet<OsString>,
    values: Vec<(OsString, OsString)>,
}

impl ChildEnvironment {
    /// Creates the default list: path, home, locale, terminal, user, time zone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name to the allow-list. A name that looks like a secret is removed anyway; pass its value with
    /// [`with_value`](Self::with_value) if a child needs it.
    pub fn with_name(mut self, name: impl Into<OsString>) -> Self {
        self.names.insert(name.into());
        self
    }

    /// Sets a variable to a value, whatever the host has. The value is not filtered.
    pub fn with_value(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.values.retain(|(known, _)| *known != name);
        self.values.push((name, value.into()));
        self
    }

    /// Returns the variables of the child for the given variables of the host.
    pub fn from_host(
        &self,
        host: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let kept = host.into_iter().filter(|(name, value)| {
            self.lets_through(name, value) && !self.values.iter().any(|(set, _)| set == name)
        });
        kept.chain(self.values.iter().cloned()).collect()
    }

    fn lets_through(&self, name: &OsStr, value: &OsStr) -> bool {
        let Some(words) = name.to_str() else { return false };
        let listed = KEPT.contains(&words) || words.starts_with("LC_") || self.names.contains(name);
        listed && !is_secret(words) && !runs_code(words) && !is_proxy_with_user(words, value)
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.starts_with("AWS_") || name == "SSH_AUTH_SOCK" || SECRET_PARTS.iter().any(|part| name.contains(part))
}

fn runs_code(name: &str) -> bool {
    CODE_NAMES.contains(&name) || CODE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A proxy URL can contain a user name and a password before the `@`.
fn is_proxy_with_user(name: &str, value: &OsStr) -> bool {
    name.to_ascii_uppercase().ends_with("_PROXY") && value.as_encoded_bytes().contains(&b'@')
}

#[cfg(test)]
mod tests;
