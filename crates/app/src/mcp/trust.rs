//! `windlass mcp trust`, and the stored trust decisions about servers of projects.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_hitl::display_safe;

use super::bound::BoundFiles;
use super::config::{self, Configured, Owner};
use super::entry::Entry;
use super::shown;
use crate::arguments::McpTrust;
use crate::kept_file::{Form, KeptFile};
use crate::{output, runs, setup};

/// Path of the file in the state folder, which is outside of every project.
const FILE: &str = "mcp/trusted.json";

/// Maximum number of changed files that a refusal names.
const MOST_CHANGES: usize = 5;

/// Digests of trusted entries, each with a description for a human who reads the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    servers: BTreeMap<String, String>,
    /// For each digest, the digests of the project's files, from which a later refusal names the changed
    /// ones. Trust decisions of older versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, BTreeMap<String, String>>,
}

const FORM: Form<'_, Trusted> = Form {
    empty: &Trusted::default,
    parse: &|text| serde_json::from_str(text).context("it is no list of trusted servers"),
    text: &|trusted| Ok(serde_json::to_string_pretty(trusted)?),
};

impl Trusted {
    /// Loads the trust decisions. If the file cannot be read, reports the error and trusts no server.
    pub(crate) fn load() -> anyhow::Result<Self> {
        Ok(file()?.load(&FORM).unwrap_or_else(|error| {
            output::note(&format!("{error:#}; no project's server is trusted"));
            Self::default()
        }))
    }

    /// Returns the reason why a project's server is not started, or `None` if the user trusts exactly this
    /// entry and these files.
    pub(crate) fn refusal(&self, name: &str, entry: &Entry, root: &Path) -> Option<String> {
        let place = place(name, root);
        let is_known = self.servers.values().any(|words| words.starts_with(&place));
        if !is_known {
            return Some("you have not said yes to it".to_owned());
        }
        let now = BoundFiles::of(entry, root).and_then(|bound| {
            let digest = shown::digest(name, entry, root, &bound)?;
            Ok((digest, bound))
        });
        match now {
            Ok((digest, _)) if self.servers.contains_key(&digest) => None,
            Ok((_, bound)) => Some(self.change(&place, &bound)),
            // An unreadable file cannot have the trusted content.
            Err(error) => Some(format!("no yes can be bound to what it runs: {error:#}")),
        }
    }

    /// Describes the differences to the trusted state of the server that has the fewest differences.
    fn change(&self, place: &str, bound: &BoundFiles) -> String {
        let digests = self.servers.iter().filter(|(_, words)| words.starts_with(place));
        let kept = digests.filter_map(|(digest, _)| self.files.get(digest));
        match kept.map(|files| changes(files, &kept_files(bound))).min_by_key(Vec::len) {
            None => "its entry or a file that it runs has changed since your yes".to_owned(),
            Some(changes) if changes.is_empty() => "its entry has changed since your yes".to_owned(),
            Some(changes) => {
                let more = changes.len().saturating_sub(MOST_CHANGES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let named = changes.get(..MOST_CHANGES).unwrap_or(&changes).join(", ");
                format!("since your yes {named}{more}")
            }
        }
    }
}

/// Returns the prefix of the descriptions of a server's trust decisions.
fn place(name: &str, root: &Path) -> String {
    format!("{name} in {}: ", root.display())
}

/// Returns the stored form of the bound files.
fn kept_files(bound: &BoundFiles) -> BTreeMap<String, String> {
    bound.files.iter().map(|(path, file)| (path.clone(), shown::hex(&file.digest))).collect()
}

/// Lists the differences between the files of a trust decision and the present files.
fn changes(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let gone = then.keys().filter(|path| !now.contains_key(*path)).map(|path| format!("{path} is gone"));
    let other = now.iter().filter_map(|(path, digest)| match then.get(path) {
        None => Some(format!("{path} is new")),
        Some(before) if before != digest => Some(format!("{path} has changed")),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

fn file() -> anyhow::Result<KeptFile> {
    Ok(KeptFile::new(runs::state()?.join(FILE), "no project's server is trusted"))
}

/// Trusts servers of the project, or revokes the trust. Without names, lists them.
pub(crate) fn trust(arguments: &McpTrust) -> anyhow::Result<ExitCode> {
    let root = setup::root(&arguments.root)?;
    let servers = config::load(&root)?;
    let projects: Vec<&Configured> = servers.iter().filter(|server| server.owner == Owner::Project).collect();
    if arguments.names.is_empty() {
        projects.iter().try_for_each(|server| list(server, &root))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut answers = Vec::new();
    for name in &arguments.names {
        let server = projects.iter().find(|server| &server.name == name);
        let server = server.with_context(|| {
            format!("{} names no server {name}", root.join(config::PROJECT_CONFIG).display())
        })?;
        answers.push(Answer::of(server, &root, arguments.revoke)?);
    }
    file()?.update(&FORM, |trusted| answers.iter().for_each(|answer| answer.keep(trusted)))?;
    for Answer { server, bound, given, .. } in &answers {
        let word = if given.is_some() { "may be started" } else { "is not started any more" };
        let (name, about) = (display_safe(&server.name), shown::describe(&server.entry, &root, bound));
        output::print(&format!("{name} {word}: {}\n{about}", shown::words(&server.entry)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a server with everything that trust in it permits.
fn list(server: &Configured, root: &Path) -> anyhow::Result<()> {
    let word = if server.is_trusted() { "trusted" } else { "not trusted" };
    let about = shown::describe(&server.entry, root, &BoundFiles::of(&server.entry, root));
    let why = server.refusal.as_ref();
    let why = why.map(|why| format!("    {}\n", display_safe(why))).unwrap_or_default();
    output::print(&format!(
        "{:<20} {word:<12} {}\n{why}{about}",
        display_safe(&server.name),
        shown::words(&server.entry)
    ))
}

/// A trust decision of the user about one server.
struct Answer<'a> {
    server: &'a Configured,
    /// Prefix of the descriptions of the server's trust decisions.
    place: String,
    bound: anyhow::Result<BoundFiles>,
    /// Digest and description of the trusted state. `None` revokes all trust in the server.
    given: Option<(String, String)>,
}

impl<'a> Answer<'a> {
    fn of(server: &'a Configured, root: &Path, revoke: bool) -> anyhow::Result<Self> {
        let Configured { name, entry, .. } = server;
        let (place, bound) = (place(name, root), BoundFiles::of(entry, root));
        if revoke {
            return Ok(Self { server, place, bound, given: None });
        }
        let bound = bound.with_context(|| format!("no yes can be bound to what the server {name} runs"))?;
        let words = format!("{place}{}", shown::words(entry));
        let given = Some((shown::digest(name, entry, root, &bound)?, words));
        Ok(Self { server, place, bound: Ok(bound), given })
    }

    fn keep(&self, trusted: &mut Trusted) {
        if let (Some((digest, words)), Ok(bound)) = (&self.given, &self.bound) {
            trusted.servers.insert(digest.clone(), words.clone());
            trusted.files.insert(digest.clone(), kept_files(bound));
        } else {
            // Revoking also ends trust in other states of the server's files.
            trusted.servers.retain(|_, words| !words.starts_with(&self.place));
            let Trusted { servers, files } = trusted;
            files.retain(|digest, _| servers.contains_key(digest));
        }
    }
}
