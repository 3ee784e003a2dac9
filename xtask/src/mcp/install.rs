//! Installs the servers and the suite once, below the target folder.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

use crate::capture;
use crate::project::target;

/// The environment variable through which tests find the folder.
pub(crate) const HOME: &str = "WINDLASS_MCP_SERVERS";

const PACKAGES: &str = "xtask/mcp/package.json";
/// Pins the transitive dependencies. It contains no URLs, so any registry can serve them.
const PACKAGES_LOCK: &str = "xtask/mcp/package-lock.json";
const REQUIREMENTS: &str = "xtask/mcp/requirements.txt";

/// The oldest major version of node that can run the installer of the pinned version.
const NODE_MAJOR: u32 = 18;

/// The installed servers and programs.
pub(crate) struct InstalledServers {
    /// The folder that contains `npm` and `venv`.
    pub(crate) home: PathBuf,
    /// The program that runs the suite, if it is installed.
    pub(crate) node: Option<PathBuf>,
    /// The missing parts, each with the reason.
    pub(crate) missing: Vec<String>,
}

/// A version of the conformance suite.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Suite {
    /// The newest release.
    Published,
    /// A version before its release, with the scenarios of 2026-07-28.
    Next,
}

impl InstalledServers {
    /// Returns the path of a suite's program.
    pub(crate) fn suite(&self, suite: Suite) -> PathBuf {
        let package = match suite {
            Suite::Published => "@modelcontextprotocol/conformance",
            Suite::Next => "conformance-next",
        };
        self.home.join("npm/node_modules").join(package).join("dist/index.js")
    }
}

/// Installs the missing parts.
pub(crate) fn ensure(sh: &Shell) -> Result<InstalledServers> {
    let home = target(sh).join("mcp");
    let mut missing = Vec::new();
    let node = match npm(sh, &home.join("npm"))? {
        Ok(node) => Some(node),
        Err(why) => {
            missing.push(why);
            None
        }
    };
    if let Err(why) = python(sh, &home.join("venv"))? {
        missing.push(why);
    }
    Ok(InstalledServers { home, node, missing })
}

/// Installs the npm packages. Returns the node program among them, which runs the others.
fn npm(sh: &Shell, folder: &Path) -> Result<std::result::Result<PathBuf, String>> {
    let Some(major) = node_major(sh) else {
        return Ok(Err("npm with node is missing: install them to use the servers of npm".to_owned()));
    };
    if major < NODE_MAJOR {
        return Ok(Err(format!(
            "node {major} is too old to install the servers of npm: {NODE_MAJOR} is needed"
        )));
    }
    let node = folder.join("node_modules/node/bin/node");
    let (packages, wanted) = (sh.read_file(PACKAGES)?, sh.read_file(PACKAGES_LOCK)?);
    let mark = folder.join("installed.json");
    if sh.read_file(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(Ok(node));
    }
    println!("installing the MCP servers and the conformance suite of npm once");
    sh.create_dir(folder)?;
    sh.write_file(folder.join("package.json"), packages)?;
    sh.write_file(folder.join("package-lock.json"), &wanted)?;
    let _in_it = sh.push_dir(folder);
    if !capture::pass_through(cmd!(sh, "npm ci --silent --no-audit --no-fund"))? {
        return Ok(Err("the servers of npm cannot be installed: its registry is out of reach".to_owned()));
    }
    sh.write_file(mark, wanted)?;
    Ok(Ok(node))
}

fn node_major(sh: &Shell) -> Option<u32> {
    cmd!(sh, "npm --version").quiet().ignore_stdout().ignore_stderr().run().ok()?;
    let version = cmd!(sh, "node --version").quiet().ignore_stderr().read().ok()?;
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

fn python(sh: &Shell, folder: &Path) -> Result<std::result::Result<(), String>> {
    let python = folder.join("bin/python");
    let wanted = sh.read_file(REQUIREMENTS)?;
    let mark = folder.join("requirements.txt");
    if sh.read_file(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(Ok(()));
    }
    let quiet = |command: Cmd<'_>| command.quiet().ignore_stdout().ignore_stderr().run().is_ok();
    if !quiet(cmd!(sh, "python3 -m venv --clear {folder}")) {
        return Ok(Err("python3 with venv is missing: install it to use the Python servers".to_owned()));
    }
    println!("installing the MCP servers of Python once");
    let install = cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check -r {REQUIREMENTS}");
    if !capture::pass_through(install)? {
        return Ok(Err(
            "the Python servers cannot be installed: the package index is out of reach".to_owned()
        ));
    }
    sh.write_file(mark, wanted)?;
    Ok(Ok(()))
}
