//! Folders of runs. Each has the run's journal, settings, long outputs and answers.

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_agent::Budget;
use windlass_protocol::ToolProtocol;

use crate::arguments::{AutonomyName, Offering, PresetName, SandboxName};
use crate::bounded;
use crate::kept_file::write_whole;
use crate::provider::Provider;

/// Settings of a run, stored so that another process can resume it. They contain no keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) task: String,
    pub(crate) provider: Provider,
    pub(crate) root: PathBuf,
    pub(crate) policy: Option<PathBuf>,
    pub(crate) preset: PresetName,
    /// Confinement of the run's commands.
    #[serde(default)]
    pub(crate) sandbox: SandboxName,
    /// Autonomy: which calls run without a question.
    #[serde(default)]
    #[serde(rename = "mode")]
    pub(crate) autonomy: AutonomyName,
    /// Tools and features in addition to the preset.
    #[serde(default)]
    pub(crate) offering: Offering,
    /// True if the run uses the configured MCP servers. Runs of earlier versions did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) servers: bool,
    pub(crate) max_turns: u32,
    /// True if the run makes no checkpoints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) no_checkpoints: bool,
    /// Context window of the model in tokens; 0 if it is unknown.
    #[serde(default)]
    pub(crate) context_window: u64,
    /// Usage limits. At a limit the run asks a human whether to continue.
    #[serde(default)]
    pub(crate) budget: Budget,
    /// Providers that are used, in order, if the first one fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fallbacks: Vec<Provider>,
    /// Form in which calls reach the model, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<ToolProtocol>,
    /// Text format of calls, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dialect: Option<String>,
}

/// The folder of one run, with the run's id.
#[derive(Clone, Debug)]
pub(crate) struct RunFolder {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
}

impl RunFolder {
    /// Creates the folder of a new run. Only the user can access it.
    pub(crate) fn create(state: &Path) -> anyhow::Result<Self> {
        let id = new_id()?;
        let path = state.join("runs").join(&id);
        make_private(&path).with_context(|| format!("the run's folder {} cannot be made", path.display()))?;
        Ok(Self { id, path })
    }

    /// Finds the folder of an earlier run. Fails if `id` is malformed or the folder does not exist.
    pub(crate) fn find(state: &Path, id: &str) -> anyhow::Result<Self> {
        let is_name = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        anyhow::ensure!(is_name, "{id:?} is not the id of a run");
        let path = state.join("runs").join(id);
        anyhow::ensure!(path.is_dir(), "there is no run {id} in {}", state.join("runs").display());
        Ok(Self { id: id.to_owned(), path })
    }

    /// Returns all runs that have a journal, the oldest first.
    pub(crate) fn all(state: &Path) -> anyhow::Result<Vec<Self>> {
        let runs = state.join("runs");
        let names = match fs::read_dir(&runs) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", runs.display())),
        };
        let mut ids: Vec<String> =
            names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        ids.sort();
        // Skip entries that are not run folders.
        Ok(ids
            .iter()
            .filter_map(|id| Self::find(state, id).ok())
            .filter(|run| run.journal().is_file())
            .collect())
    }

    pub(crate) fn answers(&self) -> PathBuf {
        self.path.join("answers")
    }

    pub(crate) fn inbox(&self) -> PathBuf {
        self.path.join("inbox")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    pub(crate) fn outputs(&self) -> PathBuf {
        self.path.join("outputs")
    }

    pub(crate) fn write_settings(&self, settings: &Settings) -> anyhow::Result<()> {
        let file = self.path.join("settings.json");
        write_whole(&file, &serde_json::to_vec_pretty(settings)?, 0o600)
    }

    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let file = self.path.join("settings.json");
        let bytes = bounded::read(&file, bounded::VALUE_BYTES)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} is not a run's settings", file.display()))
    }
}

/// Creates a folder and its missing parents with access for the user only. Does not change an existing
/// folder.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the state folder: `WINDLASS_STATE_DIR`, else `windlass` in `XDG_STATE_HOME`, else
/// `.local/state/windlass` in `HOME`.
pub(crate) fn state() -> anyhow::Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("WINDLASS_STATE_DIR")
        .or_else(|| named("XDG_STATE_HOME").map(|folder| folder.join("windlass")))
        .or_else(|| named("HOME").map(|home| home.join(".local/state/windlass")))
        .map(|folder| plain(&folder))
        .context("no place to keep runs: set WINDLASS_STATE_DIR or HOME")
}

/// Returns an absolute path without `..`, so that it can be compared and mounted, even if the path does not
/// exist.
fn plain(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.canonicalize().unwrap_or_else(|_| {
        whole.components().fold(PathBuf::new(), |mut plain, part| {
            if part == std::path::Component::ParentDir {
                plain.pop();
            } else {
                plain.push(part);
            }
            plain
        })
    })
}

/// Returns a new id: Unix time in seconds and 32 random bits in hexadecimal. Ids sort by time, and collisions
/// between the runs of one user are improbable.
fn new_id() -> anyhow::Result<String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut random = [0_u8; 4];
    getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    Ok(format!("{seconds}-{:08x}", u32::from_be_bytes(random)))
}
