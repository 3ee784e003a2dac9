//! The stored trust decisions about servers of projects.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bound::BoundFiles;
use super::config::{ConfiguredServer, PROJECT_CONFIG, ServerOwner, load_servers};
use super::description::{describe, describe_command, digest};
use super::entry::ServerEntry;
use crate::app::App;
use crate::error::{AppError, Context as _, ErrorKind, Result, one_line};
use crate::hex::hex;
use crate::storage::{Format, StateFile};

/// Path of the file in the state folder, which is outside of every project.
const FILE: &str = "mcp/trusted.json";

/// Maximum number of changed files that a refusal names.
const MOST_CHANGES: usize = 5;

/// Digests of trusted entries, each with a description for a human who reads the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustStore {
    servers: BTreeMap<String, String>,
    /// For each digest, the digests of the project's files, from which a later refusal names the changed
    /// ones. Trust decisions of older versions lack these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, BTreeMap<String, String>>,
}

const FORMAT: Format<'_, TrustStore> = Format {
    empty: &TrustStore::default,
    parse: &|text| serde_json::from_str(text).context("it is not a list of trusted servers"),
    text: &|trusted| Ok(serde_json::to_string_pretty(trusted)?),
};

impl TrustStore {
    /// Loads the trust decisions. If the file cannot be read, reports the error and trusts no server.
    pub(crate) fn load(app: &App) -> Result<Self> {
        Ok(state_file(app)?.load(&FORMAT).unwrap_or_else(|error| {
            app.inform(format!("{}; no project's server is trusted", one_line(&error)));
            Self::default()
        }))
    }

    /// Returns the reason why a project's server is not started, or `None` if the user trusts exactly this
    /// entry and these files.
    pub(crate) fn refusal(&self, name: &str, entry: &ServerEntry, root: &Path) -> Option<String> {
        let place = place(name, root);
        let is_known = self.servers.values().any(|words| words.starts_with(&place));
        if !is_known {
            return Some("you have not approved it".to_owned());
        }
        let now = BoundFiles::find(entry, root).and_then(|bound| {
            let digest = digest(name, entry, root, &bound)?;
            Ok((digest, bound))
        });
        match now {
            Ok((digest, _)) if self.servers.contains_key(&digest) => None,
            Ok((_, bound)) => Some(self.change(&place, &bound)),
            // An unreadable file cannot have the trusted content.
            Err(error) => Some(format!(
                "an approval cannot be bound to the files that it runs: \
                 {}",
                one_line(&error)
            )),
        }
    }

    /// Describes the differences to the trusted state of the server that has the fewest differences.
    fn change(&self, place: &str, bound: &BoundFiles) -> String {
        let digests = self.servers.iter().filter(|(_, words)| words.starts_with(place));
        let kept = digests.filter_map(|(digest, _)| self.files.get(digest));
        match kept.map(|files| changes(files, &format_digests(bound))).min_by_key(Vec::len) {
            None => "its entry or a file that it runs has changed since your approval".to_owned(),
            Some(changes) if changes.is_empty() => "its entry has changed since your approval".to_owned(),
            Some(changes) => {
                let more = changes.len().saturating_sub(MOST_CHANGES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let named = changes.get(..MOST_CHANGES).unwrap_or(&changes).join(", ");
                format!("since your approval {named}{more}")
            }
        }
    }
}

/// Returns the prefix of the descriptions of a server's trust decisions.
fn place(name: &str, root: &Path) -> String {
    format!("{name} in {}: ", root.display())
}

/// Returns the stored form of the bound files.
fn format_digests(bound: &BoundFiles) -> BTreeMap<String, String> {
    bound.files.iter().map(|(path, file)| (path.clone(), hex(&file.digest))).collect()
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

fn state_file(app: &App) -> Result<StateFile> {
    Ok(StateFile::new(app.state_file(FILE)?, app.notices(), "no project's server is trusted"))
}

/// A project's server, with everything that trust in it permits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustCard {
    /// Name of the server in the project's file.
    pub name: String,
    /// True if the server may be started.
    pub is_trusted: bool,
    /// Reason why the server is not started, if it is not.
    pub refusal: Option<String>,
    /// The command or the address in one line, safe to print on a terminal.
    pub command: String,
    /// Permissions that trust in the server gives, an indented line for each item, safe to print on a terminal.
    pub permissions: String,
}

/// Lists the servers of a project with the trust in them.
///
/// # Errors
///
/// Fails if a file of the user is invalid.
pub fn list_trust(app: &App, root: &Path) -> Result<Vec<TrustCard>> {
    let servers = load_servers(app, root)?.into_iter();
    let projects = servers.filter(|server| server.owner == ServerOwner::Project);
    Ok(projects
        .map(|server| TrustCard {
            is_trusted: server.is_trusted(),
            command: describe_command(&server.entry),
            permissions: describe(&server.entry, root, &BoundFiles::find(&server.entry, root)),
            name: server.name,
            refusal: server.refusal,
        })
        .collect())
}

/// Trusts the named servers of a project, or revokes the trust in them. Returns their cards.
///
/// # Errors
///
/// Fails, and changes nothing, if the project lacks the server or if a trust decision cannot be bound to the
/// files that a server runs.
pub fn change_trust(app: &App, root: &Path, names: &[String], is_trusted: bool) -> Result<Vec<TrustCard>> {
    let servers = load_servers(app, root)?;
    let find = |name: &String| {
        let mut projects = servers.iter().filter(|server| server.owner == ServerOwner::Project);
        projects.find(|server| &server.name == name).ok_or_else(|| {
            let file = root.join(PROJECT_CONFIG);
            AppError::new(ErrorKind::NotFound, format!("{} does not define a server {name}", file.display()))
        })
    };
    let mut decisions = Vec::new();
    for name in names {
        decisions.push(TrustDecision::new(find(name)?, root, is_trusted)?);
    }
    let store = |trusted: &mut TrustStore| decisions.iter().for_each(|decision| decision.store(trusted));
    state_file(app)?.update(&FORMAT, store)?;
    Ok(decisions.iter().map(|decision| decision.card(root)).collect())
}

/// A trust decision of the user about one server.
struct TrustDecision<'a> {
    server: &'a ConfiguredServer,
    /// Prefix of the descriptions of the server's trust decisions.
    place: String,
    bound: Result<BoundFiles>,
    /// Digest and description of the trusted state. `None` revokes all trust in the server.
    given: Option<(String, String)>,
}

impl<'a> TrustDecision<'a> {
    fn new(server: &'a ConfiguredServer, root: &Path, is_trusted: bool) -> Result<Self> {
        let ConfiguredServer { name, entry, .. } = server;
        let (place, bound) = (place(name, root), BoundFiles::find(entry, root));
        if !is_trusted {
            return Ok(Self { server, place, bound, given: None });
        }
        let bound = bound.with_context(|| {
            format!(
                "an approval cannot be bound to the files that the server \
                 {name} runs"
            )
        })?;
        let words = format!("{place}{}", describe_command(entry));
        let given = Some((digest(name, entry, root, &bound)?, words));
        Ok(Self { server, place, bound: Ok(bound), given })
    }

    fn card(&self, root: &Path) -> TrustCard {
        let entry = &self.server.entry;
        TrustCard {
            name: self.server.name.clone(),
            is_trusted: self.given.is_some(),
            refusal: self.server.refusal.clone().filter(|_| self.given.is_none()),
            command: describe_command(entry),
            permissions: describe(entry, root, &self.bound),
        }
    }

    fn store(&self, trusted: &mut TrustStore) {
        if let (Some((digest, words)), Ok(bound)) = (&self.given, &self.bound) {
            trusted.servers.insert(digest.clone(), words.clone());
            trusted.files.insert(digest.clone(), format_digests(bound));
        } else {
            // Revoking also ends trust in other states of the server's files.
            trusted.servers.retain(|_, words| !words.starts_with(&self.place));
            let TrustStore { servers, files } = trusted;
            files.retain(|digest, _| servers.contains_key(digest));
        }
    }
}
