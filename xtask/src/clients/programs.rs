//! The programs that people use: their packages, and the command that lets them converse.

use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value};
use xshell::Shell;

use super::suites::{Suite, Suites};
use crate::{npm, venv};

const FOLDER: &str = "xtask/clients/programs";
/// The answers of the mocks, which `script.py` prints.
pub(super) const SCRIPT: &str = "xtask/clients/programs/script.json";
/// The programs of npm.
const NODE: [&str; 7] = ["codex", "claude", "gemini", "qwen", "opencode", "pi", "cline"];
/// The programs in Python, each with dependencies of its own.
const PYTHON: [&str; 2] = ["aider", "llm"];

/// Installs the programs, and adds their suite.
pub(super) fn prepare(sh: &Shell, suites: &mut Suites) -> Result<()> {
    let mut tools = Map::new();
    match npm::ensure(sh, FOLDER, "clients/programs")? {
        Ok(packages) => {
            let folder = packages.join("node_modules/.bin");
            tools.extend(NODE.map(|name| (name.to_owned(), path_value(&folder.join(name)))));
        }
        Err(why) => suites.missing.push(why),
    }
    for name in PYTHON {
        match venv::ensure(sh, &format!("{FOLDER}/{name}.txt"), &format!("clients/{name}-venv"))? {
            Ok(programs) => {
                tools.insert(name.to_owned(), path_value(&programs.join(name)));
            }
            Err(why) => suites.missing.push(why),
        }
    }
    if tools.is_empty() {
        return Ok(());
    }
    let arguments = vec![format!("{FOLDER}/suite.py").into(), Value::Object(tools).to_string().into()];
    suites.ready.push(Suite::new("python3".into(), arguments));
    Ok(())
}

fn path_value(path: &Path) -> Value {
    Value::String(path.display().to_string())
}
