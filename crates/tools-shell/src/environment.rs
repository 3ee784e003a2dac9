//! The environment of a command: a short list of names that are let through, and nothing else (RULES Q2).

/// Names that are taken over from the host where they are set.
const KEPT: [&str; 7] = ["PATH", "HOME", "LANG", "TMPDIR", "USER", "LOGNAME", "TZ"];

/// Names that are set so that no program waits for a terminal.
const SET: [(&str, &str); 4] =
    [("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// What a command sees, from what the host has.
pub(crate) fn environment(
    host: impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let kept = host.filter(|(name, _)| {
        name.to_str().is_some_and(|name| {
            KEPT.contains(&name) || name.strip_prefix("LC_").is_some_and(|rest| !is_secret(rest))
        })
    });
    kept.chain(SET.map(|(name, value)| (name.into(), value.into()))).collect()
}

/// No name that may hold a secret passes, however the list above grows.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "SECRET", "TOKEN", "PASSWORD"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests;
