//! A folder that looks like a fresh machine to the programs inside.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

/// Files in a home folder that only configure registries.
const SETTINGS: [&str; 4] = [".npmrc", ".config/pip/pip.conf", ".pip/pip.conf", ".cargo/config.toml"];

/// Prefixes of environment variables that a fresh machine does not have. `RUSTUP_HOME` is set again, see
/// [`Machine::dress`].
const DROPPED: [&str; 8] =
    ["CARGO", "RUST", "WINDLASS", "XDG_", "PIP_CACHE", "npm_config_cache", "VIRTUAL_ENV", "__CARGO"];

/// The clone, with an empty home, cargo home and temporary folder.
pub(super) struct Machine {
    folder: PathBuf,
    /// `PATH` without folders that contain installed cargo subcommands.
    path: OsString,
    /// The folders of version managers with toolchains, which would otherwise be looked up in the new home.
    toolchains: Vec<(&'static str, PathBuf)>,
}

impl Machine {
    /// Creates the folder, clones the last commit into it, and links `../shared` if requested and present.
    pub(super) fn create(sh: &Shell, folder: Option<&Path>, with_shared: bool) -> Result<Self> {
        let home = std::env::home_dir().context("the home folder is unknown")?;
        let parent = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let folder = parent.join(format!("windlass-fresh-{}", std::process::id()));
        if folder.exists() {
            bail!("{} exists already", folder.display());
        }
        for name in ["home/.cargo", "tmp"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let (root, clone) = (sh.current_dir(), folder.join("main"));
        cmd!(sh, "git clone --quiet --no-hardlinks {root} {clone}").quiet().run()?;
        let shared = root.join("../shared");
        if with_shared && shared.is_dir() {
            std::os::unix::fs::symlink(shared.canonicalize()?, folder.join("shared"))?;
        }
        for name in SETTINGS {
            take_over(&home.join(name), &folder.join("home").join(name))?;
        }
        let toolchains = [("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv")];
        let found = toolchains.map(|(name, below)| {
            (name, std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from))
        });
        let toolchains = found.into_iter().filter(|(_, folder)| folder.is_dir()).collect();
        Ok(Self { path: path(sh)?, toolchains, folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets the working folder and the environment of a command.
    pub(super) fn dress(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if DROPPED.iter().any(|begin| text.starts_with(begin)) {
                command.env_remove(&name);
            }
        }
        let home = self.folder.join("home");
        command
            .current_dir(self.folder.join("main"))
            .env("PATH", &self.path)
            .env("CARGO_HOME", home.join(".cargo"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env("CI", "true")
            .env("HOME", home)
            .envs(self.toolchains.iter().map(|(name, folder)| (name, folder)));
    }

    /// Removes the folder. Some tools create read-only folders, so permissions are added first.
    pub(super) fn remove(self) -> Result<()> {
        let folder = &self.folder;
        let status = Command::new("chmod").args(["-R", "u+rwX"]).arg(folder).status();
        status.context("cannot start chmod")?;
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))
    }
}

/// Copies a configuration file, if it exists.
fn take_over(from: &Path, to: &Path) -> Result<()> {
    if !from.is_file() {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to).with_context(|| format!("{} cannot be copied", from.display()))?;
    Ok(())
}

/// Returns a `PATH` with the toolchain's programs first, then all folders without cargo and its subcommands.
fn path(sh: &Shell) -> Result<OsString> {
    let sysroot = PathBuf::from(cmd!(sh, "rustc --print sysroot").quiet().read()?);
    let found = std::env::var_os("PATH").unwrap_or_default();
    let others = std::env::split_paths(&found).filter(|folder| !has_cargo(folder));
    Ok(std::env::join_paths(std::iter::once(sysroot.join("bin")).chain(others))?)
}

fn has_cargo(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with("cargo"))
}
