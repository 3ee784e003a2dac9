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
/// The programs whose packages copy a file of the package for the platform when they are installed. Scripts of packages are not
/// run, so the file itself is the program.
const NATIVE: [(&str, &str); 2] = [
    ("claude", "@anthropic-ai/claude-code-linux-x64/claude"),
    ("opencode", "opencode-linux-x64/bin/opencode"),
];
/// The programs in Python, each with dependencies of its own.
const PYTHON: [&str; 2] = ["aider", "llm"];

/// Installs the programs, and adds their suite.
pub(super) fn prepare(sh: &Shell, suites: &mut Suites) -> Result<()> {
    let mut tools = Map::new();
    match npm::ensure(sh, FOLDER, "clients/programs")? {
        Ok(packages) => {
            let folder = packages.join("node_modules");
            for name in NODE {
                let native =
                    NATIVE.iter().find(|(native, _)| *native == name).map(|(_, file)| folder.join(file));
                let program = native.unwrap_or_else(|| folder.join(".bin").join(name));
                if program.exists() {
                    tools.insert(name.to_owned(), path_value(&program));
                } else {
                    suites.missing.push(format!("{name}: {} is not installed", program.display()));
                }
            }
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
