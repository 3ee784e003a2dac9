//! Which servers of projects the user has said yes to, and `windlass mcp trust`.

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

/// The file, in the folder for everything that is kept: outside of every project.
const FILE: &str = "mcp/trusted.json";

/// The most changed files that a refusal names.
const MOST_CHANGES: usize = 5;

/// Digests of entries, each with words for a human who reads the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    servers: BTreeMap<String, String>,
    /// The project's files of each digest with digests of their own: they tell later what has changed. A yes of an older
    /// version has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, BTreeMap<String, String>>,
}

const FORM: Form<'_, Trusted> = Form {
    empty: &Trusted::default,
    parse: &|text| serde_json::from_str(text).context("it is no list of trusted servers"),
    text: &|trusted| Ok(serde_json::to_string_pretty(trusted)?),
};

impl Trusted {
    /// The servers that were said yes to. Nothing is trusted while the file cannot be read, which is reported.
    pub(crate) fn load() -> anyhow::Result<Self> {
        Ok(file()?.load(&FORM).unwrap_or_else(|error| {
            output::note(&format!("{error:#}; no project's server is trusted"));
            Self::default()
        }))
    }

    /// Returns why a server of a project is not started; `None` if the user said yes to exactly this.
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
            // A file that cannot be read now is not the one that was said yes to.
            Err(error) => Some(format!("no yes can be bound to what it runs: {error:#}")),
        }
    }

    /// What has changed since the yes to a server that is most like the present one.
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

/// How the words of a yes to a server begin.
fn place(name: &str, root: &Path) -> String {
    format!("{name} in {}: ", root.display())
}

/// The files that a yes is bound to, as they are kept.
fn kept_files(bound: &BoundFiles) -> BTreeMap<String, String> {
    bound.files.iter().map(|(path, file)| (path.clone(), shown::hex(&file.digest))).collect()
}

/// How the files of a yes differ from those that are there now.
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

/// Says yes to servers of the project, or takes it back; without a name it lists them.
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

/// Lists a server with all that a yes permits.
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

/// What the user says to one server.
struct Answer<'a> {
    server: &'a Configured,
    /// How the words of each yes to the server begin.
    place: String,
    bound: anyhow::Result<BoundFiles>,
    /// The digest that a yes is for, and its words; `None` takes every yes back.
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
            // A yes to another state of the same server's files ends, too.
            trusted.servers.retain(|_, words| !words.starts_with(&self.place));
            let Trusted { servers, files } = trusted;
            files.retain(|digest, _| servers.contains_key(digest));
        }
    }
}
