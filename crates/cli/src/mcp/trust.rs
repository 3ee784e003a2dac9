//! Which servers of projects the user has said yes to, and `windlass mcp trust`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_hitl::display_safe;

use super::config::{self, Configured, Owner};
use super::entry::Entry;
use super::shown;
use crate::arguments::McpTrust;
use crate::kept_file::{Form, KeptFile};
use crate::{output, runs, setup};

/// The file, in the folder for everything that is kept: outside of every project.
const FILE: &str = "mcp/trusted.json";

/// Digests of entries, each with words for a human who reads the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    servers: BTreeMap<String, String>,
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

    /// Whether exactly this server was said yes to.
    pub(crate) fn has(&self, name: &str, entry: &Entry, root: &Path) -> bool {
        // A script that cannot be read now is not the one that was said yes to.
        !self.servers.is_empty()
            && shown::digest(name, entry, root).is_ok_and(|digest| self.servers.contains_key(&digest))
    }
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
        for server in &projects {
            let word = if server.is_trusted { "trusted" } else { "not trusted" };
            let (name, about) = (display_safe(&server.name), shown::describe(&server.entry, &root));
            output::print(&format!("{name:<20} {word:<12} {}\n{about}", shown::words(&server.entry)))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut changes = Vec::new();
    for name in &arguments.names {
        let server = projects.iter().find(|server| &server.name == name);
        let server = server.with_context(|| {
            format!("{} names no server {name}", root.join(config::PROJECT_CONFIG).display())
        })?;
        let words = shown::words(&server.entry);
        let digest = shown::digest(name, &server.entry, &root)
            .with_context(|| format!("what the server {name} would run cannot be read"))?;
        changes.push((digest, format!("{name} in {}: {words}", root.display()), *server));
    }
    file()?.update(&FORM, |trusted| {
        for (digest, words, server) in &changes {
            if arguments.revoke {
                trusted.servers.remove(digest);
                // A yes to another state of the same server's scripts ends, too.
                let place = format!("{} in {}: ", server.name, root.display());
                trusted.servers.retain(|_, words| !words.starts_with(&place));
            } else {
                trusted.servers.insert(digest.clone(), words.clone());
            }
        }
    })?;
    for (_, _, server) in &changes {
        let word = if arguments.revoke { "is not started any more" } else { "may be started" };
        let (name, about) = (display_safe(&server.name), shown::describe(&server.entry, &root));
        output::print(&format!("{name} {word}: {}\n{about}", shown::words(&server.entry)))?;
    }
    Ok(ExitCode::SUCCESS)
}
