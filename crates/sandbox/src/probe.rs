//! What this machine can do, found out by doing it.

use std::path::Path;
use std::process::Stdio;

use crate::plan::Plan;
use crate::{Confinement, Helper, Level, Missing, Part, start_child};

/// The best level that held when it was tried, and why no better one did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The level that confined processes get here.
    pub level: Level,
    /// What kept the levels above from being reached.
    pub missing: Vec<Missing>,
    /// What is bounded for all processes of a child together.
    pub bounds: Bounds,
    /// The kernel's version of Landlock, where it was used.
    pub landlock: Option<u32>,
}

/// What this machine bounds for all processes of a child together, beside the limits of each one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// How many they are.
    pub processes: bool,
    /// How much memory they use.
    pub memory: bool,
}

const PROCESSES: &str = "bounded: processes";
const MEMORY: &str = "bounded: memory";
/// What comes before the version of Landlock.
pub(crate) const LANDLOCK: &str = "landlock: ";

impl Bounds {
    /// The lines by which a helper that was tried says what holds.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no helper says it here"))]
    pub(crate) fn lines(self) -> impl Iterator<Item = &'static str> {
        let lines = [(self.processes, PROCESSES), (self.memory, MEMORY)];
        lines.into_iter().filter(|(holds, _)| *holds).map(|(_, line)| line)
    }

    fn of_lines(text: &str) -> Self {
        let says = |wanted: &str| text.lines().any(|line| line == wanted);
        Self { processes: says(PROCESSES), memory: says(MEMORY) }
    }
}

impl Probe {
    /// Confines a real process at each level from the top, which tries to get out; the first level that
    /// holds is taken. It takes some milliseconds: do it once.
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

    /// Tries one level, whatever the others are.
    ///
    /// # Errors
    /// What keeps this machine from it.
    pub fn at(helper: &Helper, level: Level) -> Result<Self, Missing> {
        let said = tried(helper, level).map_err(|(part, words)| Missing { level, part, words })?;
        let landlock = said.lines().find_map(|line| line.strip_prefix(LANDLOCK)?.parse().ok());
        Ok(Self { level, missing: Vec::new(), bounds: Bounds::of_lines(&said), landlock })
    }
}

fn tried(helper: &Helper, level: Level) -> Result<String, (Part, String)> {
    let plan = Plan::of(&Confinement::new(), level, Path::new("/"));
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
        Some((Part::of_words(part)?, words.to_owned()))
    });
    // What another program says is its own.
    let other = words.lines().rfind(|line| level == Level::Bubblewrap && !line.trim().is_empty());
    let said = said.or_else(|| Some((Part::Bubblewrap, other?.trim_start_matches("bwrap: ").to_owned())));
    Err(said.unwrap_or_else(|| (Part::Helper, format!("it ended with {}", output.status))))
}
