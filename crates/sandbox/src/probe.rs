//! Determines the confinement that this machine supports, by trying it.

use std::path::Path;
use std::process::Stdio;

use crate::plan::Plan;
use crate::{Confinement, Helper, Level, LevelFailure, Part, start_child};

/// The best level that held when it was tried, and the reasons why no better one did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The level for confined processes on this machine.
    pub level: Level,
    /// The reasons why the levels above were not reached.
    pub missing: Vec<LevelFailure>,
    /// The limits that apply to all processes of a child together.
    pub bounds: Bounds,
    /// The kernel's Landlock version, if Landlock was used.
    pub landlock: Option<u32>,
}

/// The limits that this machine enforces for all processes of a child together, in addition to those of each
/// process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// True if the number of processes is limited.
    pub processes: bool,
    /// True if their memory is limited.
    pub memory: bool,
}

const PROCESSES: &str = "bounded: processes";
const MEMORY: &str = "bounded: memory";
/// The prefix of the Landlock version in the helper's output.
pub(crate) const LANDLOCK: &str = "landlock: ";

impl Bounds {
    /// Returns the lines by which a probed helper reports its limits.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no helper reports it here"))]
    pub(crate) fn lines(self) -> impl Iterator<Item = &'static str> {
        let lines = [(self.processes, PROCESSES), (self.memory, MEMORY)];
        lines.into_iter().filter(|(holds, _)| *holds).map(|(_, line)| line)
    }

    fn parse(text: &str) -> Self {
        let says = |wanted: &str| text.lines().any(|line| line == wanted);
        Self { processes: says(PROCESSES), memory: says(MEMORY) }
    }
}

impl Probe {
    /// Starts a confined process at each level from the best, which tries to break out, and returns the first
    /// level that held. This takes some milliseconds, so do it once.
    pub fn run(helper: &Helper) -> Self {
        let mut missing = Vec::new();
        for level in [Level::Namespaces, Level::Bubblewrap, Level::Landlock] {
            match Self::at(helper, level) {
                Ok(probe) => return Self { missing, ..probe },
                Err(why) => missing.push(why),
            }
        }
        Self { level: Level::None, missing, bounds: Bounds::default(), landlock: None }
    }

    /// Tries one level, independently of the others.
    ///
    /// # Errors
    /// The part of the level that failed on this machine, with the system's message.
    pub fn at(helper: &Helper, level: Level) -> Result<Self, LevelFailure> {
        let said = try_level(helper, level).map_err(|(part, words)| LevelFailure { level, part, words })?;
        let landlock = said.lines().find_map(|line| line.strip_prefix(LANDLOCK)?.parse().ok());
        Ok(Self { level, missing: Vec::new(), bounds: Bounds::parse(&said), landlock })
    }
}

fn try_level(helper: &Helper, level: Level) -> Result<String, (Part, String)> {
    let plan = Plan::new(&Confinement::new(), level, Path::new("/"));
    let mut process = helper.command(&plan, &[]);
    process.env_clear().stdin(Stdio::null());
    let output = match start_child(|| process.output()) {
        Ok(output) if output.status.success() => {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Ok(output) => output,
        Err(error) => return Err((Part::Helper, error.to_string())),
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let said = words.lines().find_map(|line| {
        let (part, words) = line.strip_prefix("not confined: ")?.split_once(": ")?;
        Some((Part::from_words(part)?, words.to_owned()))
    });
    // Another message on stderr is bwrap's own.
    let other = words.lines().rfind(|line| level == Level::Bubblewrap && !line.trim().is_empty());
    let said = said.or_else(|| Some((Part::Bubblewrap, other?.trim_start_matches("bwrap: ").to_owned())));
    Err(said.unwrap_or_else(|| (Part::Helper, format!("it ended with {}", output.status))))
}
