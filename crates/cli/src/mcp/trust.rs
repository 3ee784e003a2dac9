//! Which servers of projects the user has said yes to, and `windlass mcp trust`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::config::{self, Configured, Owner};
use crate::arguments::McpTrust;
use crate::kept_file::KeptFile;
use crate::{output, runs, setup};

/// The file, in the folder for everything that is kept: outside of every project.
const FILE: &str = "mcp/trusted.json";

/// Digests of entries, each with words for a human who reads the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    servers: BTreeMap<String, String>,
}

impl Trusted {
    /// What was said yes to. What cannot be read is kept aside and said: nothing is trusted then.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let file = file()?;
        let read = file.read().and_then(|text| match text {
            Some(text) => serde_json::from_str(&text).context("it is no list of trusted servers"),
            None => Ok(Self::default()),
        });
        Ok(read.unwrap_or_else(|error| {
            output::note(&format!(
                "{error:#}; no project's server is trusted, and the old file is {}",
                file.set_aside()
            ));
            Self::default()
        }))
    }

    pub(crate) fn has(&self, digest: &str) -> bool {
        self.servers.contains_key(digest)
    }

    fn save(&self) -> anyhow::Result<()> {
        file()?.write(serde_json::to_string_pretty(self)?.as_bytes())
    }
}

fn file() -> anyhow::Result<KeptFile> {
    Ok(KeptFile::new(runs::state()?.join(FILE)))
}

/// Says yes to servers of the project, or takes it back; without a name it lists them.
pub(crate) fn trust(arguments: &McpTrust) -> anyhow::Result<ExitCode> {
    let root = setup::root(&arguments.root)?;
    let servers = config::load(&root)?;
    let projects: Vec<&Configured> = servers.iter().filter(|server| server.owner == Owner::Project).collect();
    if arguments.names.is_empty() {
        for server in &projects {
            let word = if server.is_trusted { "trusted" } else { "not trusted" };
            output::print(&format!("{:<20} {word:<12} {}\n", server.name, server.entry.words()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut trusted = Trusted::load()?;
    for name in &arguments.names {
        let server = projects.iter().find(|server| &server.name == name);
        let server = server.with_context(|| {
            format!("{} names no server {name}", root.join(config::PROJECT_CONFIG).display())
        })?;
        let place = root.display().to_string();
        let digest = server.entry.digest(name, &place)?;
        if arguments.revoke {
            trusted.servers.remove(&digest);
        } else {
            trusted.servers.insert(digest, format!("{name} in {place}: {}", server.entry.words()));
        }
        let word = if arguments.revoke { "is not started any more" } else { "may be started" };
        output::print(&format!("{name} {word}: {}\n", server.entry.words()))?;
    }
    trusted.save()?;
    Ok(ExitCode::SUCCESS)
}
