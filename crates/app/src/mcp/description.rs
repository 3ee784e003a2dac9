//! Description of a project's server before a trust decision, and the digest that binds the decision to the
//! description.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use windlass_hitl::display_line;

use super::bound::{BoundFile, BoundFiles, FileRole};
use super::entry::ServerEntry;
use crate::config::Confinement;
use crate::error::{Context as _, Result, one_line};
use crate::hex::hex;
use crate::secrets;

/// Maximum number of displayed names of absent files.
const ABSENT: usize = 8;

/// Returns the server in one line, safe to print on a terminal.
pub fn describe_command(entry: &ServerEntry) -> String {
    display_line(&entry.words())
}

/// Describes everything that trust in the server permits, one item for each line: its address or command, its
/// confinement, and the variables and headers that it gets from the user. Names values that look like secrets
/// without showing them. `bound` are the project's files that the server runs.
pub(crate) fn describe(entry: &ServerEntry, root: &Path, bound: &Result<BoundFiles>) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "    {}", display_line(&words));
    };
    if let Some(url) = &entry.url {
        line(format!("address: {url}"));
    }
    for origin in &entry.oauth_authorities {
        line(format!("its sign-in may reach {origin}, also where that is this machine or your network"));
    }
    if let Some(command) = &entry.command {
        line(format!("command: {command}"));
        for argument in &entry.args {
            line(format!("argument: {argument}"));
        }
        line(format!("starts in: {}", entry.folder(root).display()));
        line(match entry.sandbox {
            Some(Confinement::Off) => {
                "sandbox = \"off\": it can do what you can, outside of the project too".to_owned()
            }
            Some(Confinement::Required) => "confined; it is not started if this machine cannot confine \
                                            it"
            .to_owned(),
            Some(Confinement::Auto) | None => "confined as far as this machine permits".to_owned(),
        });
        match bound {
            Ok(bound) => file_lines(bound).into_iter().for_each(&mut line),
            Err(error) => line(format!(
                "an approval cannot be bound to the files that it runs: \
                 {}",
                one_line(error)
            )),
        }
    }
    for (name, value) in &entry.env {
        line(format!("sets {name} = {}", value_of(name, value)));
    }
    for name in &entry.env_vars {
        line(format!("gets YOUR variable {name}{}", secret_word(name)));
    }
    if let Some(name) = &entry.bearer_token_env_var {
        line(format!("is sent YOUR variable {name} as its bearer token"));
    }
    for (header, name) in &entry.env_http_headers {
        line(format!("is sent YOUR variable {name} as the header {header}"));
    }
    for (header, value) in &entry.http_headers {
        line(format!("is sent the header {header}: {}", value_of(&header.replace('-', "_"), value)));
    }
    text
}

fn value_of(name: &str, value: &str) -> String {
    let is_secret = secrets::is_secret(name, value) || name.eq_ignore_ascii_case("authorization");
    if is_secret {
        format!("(a secret of {} bytes, written in the file)", value.len())
    } else {
        value.to_owned()
    }
}

fn secret_word(name: &str) -> &'static str {
    if secrets::is_secret_name(name) { ", by its name a secret" } else { "" }
}

/// Returns one line for each bound file, and one line for the absent files that would be bound.
fn file_lines(bound: &BoundFiles) -> Vec<String> {
    let line = |(path, file): (&String, &BoundFile)| {
        let verb = match file.role {
            FileRole::Named => "runs the project's file",
            FileRole::Decides => "follows the project's file",
            FileRole::NamedByFile => "may run the project's file",
        };
        format!("{verb}: {path} (its present content)")
    };
    let mut lines: Vec<String> = bound.files.iter().map(line).collect();
    let names: Vec<&str> = bound.absent.iter().copied().take(ABSENT).collect();
    if !names.is_empty() {
        let more = bound.absent.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("your approval ends when one of these files appears: {}{more}", names.join(", ")));
    }
    lines
}

/// Returns the digest that a trust decision is stored under. It covers the whole entry, the folder, and the
/// bound files (RULES H11).
pub(crate) fn digest(name: &str, entry: &ServerEntry, root: &Path, bound: &BoundFiles) -> Result<String> {
    let text = serde_json::to_string(entry).context("the entry cannot be serialized as JSON")?;
    let place = root.as_os_str().as_encoded_bytes();
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    };
    for part in [b"windlass mcp project server 2", name.as_bytes(), place, text.as_bytes()] {
        add(part);
    }
    for (path, file) in &bound.files {
        add(path.as_bytes());
        add(&file.digest);
    }
    Ok(hex(&hash.finalize()))
}
