//! What this machine can do, found out by doing it.

use std::path::Path;
use std::process::Stdio;

use crate::plan::Plan;
use crate::{Confinement, Helper, Level, Missing, Part};

/// The best level that held when it was tried, and why no better one did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The level that confined processes get here.
    pub level: Level,
    /// What kept the levels above from being reached.
    pub missing: Vec<Missing>,
}

impl Probe {
    /// Confines a real process at each level from the top, which tries to get out; the first level that
    /// holds is taken. It takes some milliseconds: do it once.
    pub fn run(helper: &Helper) -> Self {
        let mut missing = Vec::new();
        for level in [Level::Namespaces, Level::Landlock] {
            match tried(helper, level) {
                None => return Self { level, missing },
                Some((part, words)) => missing.push(Missing { level, part, words }),
            }
        }
        Self { level: Level::None, missing }
    }
}

fn tried(helper: &Helper, level: Level) -> Option<(Part, String)> {
    let plan = Plan::of(&Confinement::new(), level, Path::new("/"));
    let mut process = helper.command(&plan, &[]);
    process.env_clear().stdin(Stdio::null());
    let output = match process.output() {
        Ok(output) if output.status.success() => return None,
        Ok(output) => output,
        Err(error) => return Some((Part::Helper, error.to_string())),
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let said = words.lines().find_map(|line| {
        let (part, words) = line.strip_prefix("not confined: ")?.split_once(": ")?;
        Some((Part::of_words(part)?, words.to_owned()))
    });
    Some(said.unwrap_or_else(|| (Part::Helper, format!("it ended with {}", output.status))))
}
