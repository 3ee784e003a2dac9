//! The temporary folders of one case: a workspace, the folders around it, and the values of the placeholders.

mod fixture;
mod links;
mod loopback;
mod web;

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

pub(crate) use self::loopback::Loopback;
pub(crate) use self::web::{CountingDialer, Dials, FakeNames};
use crate::setup::Setup;

/// The environment of a case. The folder stays when the value is dropped.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) folder: PathBuf,
    pub(crate) workspace: PathBuf,
    /// A folder whose name begins with the workspace's name.
    pub(crate) sibling: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) policy: PathBuf,
    pub(crate) canary: PathBuf,
    pub(crate) secret: String,
    /// A text beside every secret that is not registered as one. It reveals that a secret was read and then
    /// redacted.
    pub(crate) marker: String,
    pub(crate) loopback: Loopback,
    pub(crate) dials: Dials,
    socket: PathBuf,
    _listener: UnixListener,
}

impl Scene {
    /// Creates the scene in a new folder. `secret` comes from the process that started the case, which also
    /// sets it in the environment.
    pub(crate) fn create(folder: &Path, template: &Path, secret: &str) -> anyhow::Result<Self> {
        let workspace = folder.join("work");
        fixture::copy(template, &workspace).context("the workspace cannot be made")?;
        let scene = Self {
            sibling: folder.join("work2"),
            outside: folder.join("outside"),
            home: folder.join("home"),
            policy: folder.join("home/.local/state/windlass"),
            canary: folder.join("outside/canary"),
            socket: folder.join("host.sock"),
            secret: secret.to_owned(),
            marker: marker_of(secret),
            loopback: Loopback::start()?,
            dials: Dials::default(),
            _listener: UnixListener::bind(folder.join("host.sock")).context("no unix socket can be made")?,
            folder: folder.to_owned(),
            workspace,
        };
        scene.furnish().context("the surroundings of the workspace cannot be created")?;
        Ok(scene)
    }

    fn furnish(&self) -> std::io::Result<()> {
        for folder in [&self.sibling, &self.outside, &self.policy, &self.home.join(".ssh")] {
            fs::create_dir_all(folder)?;
        }
        fs::write(self.sibling.join("own.txt"), "the sibling's own\n")?;
        fs::write(self.outside.join("secret.txt"), format!("outside: {} {}\n", self.secret, self.marker))?;
        fs::write(self.outside.join("shared.txt"), "shared with others\n")?;
        fs::write(self.home.join(".ssh/id_rsa"), format!("private: {} {}\n", self.secret, self.marker))?;
        fs::write(self.policy.join("approvals.json"), "[]")?;
        fs::write(self.workspace.join(".env"), format!("API_KEY={} {}\n", self.secret, self.marker))
    }

    /// Writes the setup's files into the workspace.
    pub(crate) fn lay(&self, setup: &Setup) -> anyhow::Result<()> {
        for (name, content) in &setup.files {
            links::lay(&self.workspace, name, content).with_context(|| format!("the file {name}"))?;
        }
        if let Some(race) = &setup.race {
            let folder = self.workspace.join(&race.folder);
            fs::create_dir_all(&folder).with_context(|| format!("the folder {}", race.folder))?;
            links::lay(&self.workspace, &format!("{}.swap", race.folder), &format!("-> {}", race.target))?;
        }
        Ok(())
    }

    /// Creates the sparse files that a case names. Their size is in their name, for example `sparse_10G.bin`.
    pub(crate) fn lay_sparse(&self, text: &str) -> anyhow::Result<()> {
        for (name, bytes) in links::sparse_names(text) {
            let file = fs::File::create(self.workspace.join(&name))?;
            file.set_len(bytes).with_context(|| format!("a sparse file of {bytes} bytes"))?;
        }
        Ok(())
    }

    /// Replaces the placeholders in a text.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (placeholder, value) in self.values() {
            text = text.replace(placeholder, &value);
        }
        text
    }

    /// Replaces the placeholders in JSON text, with the values escaped as JSON.
    pub(crate) fn fill_json(&self, json: &str) -> String {
        let mut json = json.to_owned();
        for (placeholder, value) in self.values() {
            let quoted = serde_json::Value::String(value).to_string();
            json = json.replace(placeholder, quoted.trim_matches('"'));
        }
        json
    }

    fn values(&self) -> [(&'static str, String); 10] {
        let path = |path: &Path| path.display().to_string();
        [
            ("@WS@", path(&self.workspace)),
            ("@WS2@", path(&self.sibling)),
            ("@OUT@", path(&self.outside)),
            ("@HOME@", path(&self.home)),
            ("@CANARY@", path(&self.canary)),
            ("@LOOP@", self.loopback.address().to_string()),
            ("@PORT@", self.loopback.port().to_string()),
            ("@UDS@", path(&self.socket)),
            ("@SECRET@", self.secret.clone()),
            ("@POLICYDIR@", path(&self.policy)),
        ]
    }
}

/// Returns the marker that belongs to a secret.
pub(crate) fn marker_of(secret: &str) -> String {
    secret.chars().rev().map(|letter| if letter == '-' { '_' } else { letter }).collect()
}

/// Creates the workspace that all cases start with, once.
pub(crate) fn template(folder: &Path) -> anyhow::Result<PathBuf> {
    let template = folder.join("template");
    fixture::make(&template).context("the workspace of the cases cannot be made")?;
    Ok(template)
}
