//! Files of processes that serve tools.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::Risk;
use windlass_tools_shell::Shell;

use crate::file::only_a_users;
use crate::process::ProcessFile;
use crate::{FileProblem, FolderOwner};

/// Default and maximum timeouts of a list and a call, in milliseconds.
const LIST_MS: u64 = 10_000;
const MOST_LIST_MS: u64 = 60_000;
const CALL_MS: u64 = 120_000;
const MOST_CALL_MS: u64 = 3_600_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    process: Process,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Process {
    argv: Vec<String>,
    #[serde(default)]
    list_timeout_ms: Option<u64>,
    #[serde(default)]
    call_timeout_ms: Option<u64>,
    #[serde(default)]
    risk: Option<Risk>,
    #[serde(default)]
    read_only: Option<bool>,
    /// For a program that needs the network, or more access than commands have.
    #[serde(default)]
    unconfined: Option<bool>,
}

/// Returns true if a file defines a process, even if it is invalid.
pub(crate) fn is_process(text: &str) -> bool {
    toml::from_str::<toml::Table>(text).is_ok_and(|table| table.contains_key("process"))
}

pub(crate) fn parse(
    path: &Path,
    text: &str,
    owner: FolderOwner,
    workspace: &Path,
    shell: &Shell,
) -> Result<ProcessFile, FileProblem> {
    let RawFile { process } = toml::from_str(text).map_err(|error| FileProblem::Toml(Box::new(error)))?;
    let key = |key: &'static str, problem: String| FileProblem::Key { key, problem };
    only_a_users(owner, process.risk, process.read_only)?;
    if owner != FolderOwner::User && process.unconfined.is_some() {
        let problem = "only the user's own file may set this: a project's file may come from a \
                       stranger"
            .to_owned();
        return Err(key("process.unconfined", problem));
    }
    if process.argv.first().is_none_or(String::is_empty) {
        return Err(key("process.argv", "expected a program as the first word".to_owned()));
    }
    if process.argv.iter().any(|word| word.contains('\0')) {
        return Err(key("process.argv", "words cannot contain NUL characters".to_owned()));
    }
    let time = |name, written: Option<u64>, usual, most| match written.unwrap_or(usual) {
        ms if (1..=most).contains(&ms) => Ok(Duration::from_millis(ms)),
        _ => Err(key(name, format!("expected 1 to {most}"))),
    };
    let folder = path.parent().unwrap_or(Path::new(".")).canonicalize().map_err(FileProblem::Read)?;
    Ok(ProcessFile {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        list_timeout: time("process.list_timeout_ms", process.list_timeout_ms, LIST_MS, MOST_LIST_MS)?,
        call_timeout: time("process.call_timeout_ms", process.call_timeout_ms, CALL_MS, MOST_CALL_MS)?,
        argv: process.argv,
        folder,
        workspace: workspace.to_path_buf(),
        shell: if process.unconfined == Some(true) { Shell::new_unconfined() } else { shell.clone() },
        owner,
        risk: process.risk,
        read_only: process.read_only.unwrap_or_default(),
    })
}
