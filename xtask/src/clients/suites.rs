//! The suites of conversations: which program runs each, and with which packages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::Shell;

use super::FOLDER;
use super::table::Conversation;
use crate::{capture, npm, sdk, venv};

/// The libraries of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    /// The libraries of the providers, without the frameworks over them.
    Official,
}

/// The module of the libraries of the providers, in Python and in node.
const OFFICIAL: &str = "official";

/// The oldest major version of node that runs the libraries. Their packages have one for Linux.
const NODE_MAJOR: u32 = 22;

/// The suites in Python: the module, its pinned packages and their folder below the target folder.
const PYTHON: [(&str, &str, &str); 3] = [
    (OFFICIAL, sdk::REQUIREMENTS, "sdk-venv"),
    ("frameworks", "xtask/clients/python/frameworks.txt", "clients/frameworks-venv"),
    ("typed", "xtask/clients/python/typed.txt", "clients/typed-venv"),
];

/// A command that prints a line of JSON for each conversation. The stack and the word are its last arguments.
pub(super) struct Suite {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// The suites that can run, and the reasons why others cannot.
#[derive(Default)]
pub(super) struct Suites {
    pub(super) ready: Vec<Suite>,
    pub(super) missing: Vec<String>,
}

/// Copies the scripts of node beside their packages, where imports find these.
pub(crate) fn copy_scripts(sh: &Shell, packages: &Path) -> Result<PathBuf> {
    for folder in ["", "node"] {
        let (from, to) = (Path::new(FOLDER).join(folder), packages.join(folder));
        sh.create_dir(&to)?;
        for file in sh.read_dir(from)?.iter().filter(|file| file.extension().is_some_and(|it| it == "mjs")) {
            sh.copy_file(file, &to)?;
        }
    }
    Ok(packages.to_owned())
}

/// Installs the packages of the libraries, and adds their suites.
pub(super) fn prepare(sh: &Shell, scripts: &Path, extent: Extent, suites: &mut Suites) -> Result<()> {
    let is_wanted = |module: &str| extent == Extent::All || module == OFFICIAL;
    for (module, requirements, name) in PYTHON.into_iter().filter(|(module, ..)| is_wanted(module)) {
        match venv::ensure(sh, requirements, name)? {
            Ok(programs) => {
                let arguments = vec![format!("{FOLDER}/python/suite.py").into(), module.into()];
                suites.ready.push(Suite::new(programs.join("python"), arguments));
            }
            Err(why) => suites.missing.push(why),
        }
    }
    let module = if extent == Extent::All { "all" } else { OFFICIAL };
    let script = scripts.join("node/suite.mjs");
    match npm::find_node(sh, scripts, NODE_MAJOR) {
        Ok(node) => suites.ready.push(Suite::new(node, vec![script.into(), module.into()])),
        Err(why) => suites.missing.push(format!("libraries of npm: {why}")),
    }
    Ok(())
}

impl Suite {
    pub(super) fn new(program: PathBuf, arguments: Vec<OsString>) -> Self {
        Self { program, arguments }
    }

    /// Runs the conversations that contain the word, with the progress on the terminal.
    pub(super) fn run(&self, mock: &'static str, stack: &Value, only: &str) -> Result<Vec<Conversation>> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(stack.to_string()).arg(only);
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child =
            command.spawn().with_context(|| format!("cannot start {}", self.program.display()))?;
        let out = child.stdout.take().context("the suite has no output")?;
        let lines = capture::read_lines(Box::new(out), |_| true)?;
        if !child.wait()?.success() {
            bail!("the suite {:?} did not end well", self.arguments);
        }
        lines.iter().map(|line| Conversation::parse(mock, line)).collect()
    }
}
