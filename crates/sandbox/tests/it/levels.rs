//! The levels of confinement that this machine has; each is tried once.

use std::sync::OnceLock;

use windlass_sandbox::{Helper, Level, LevelFailure, Probe};
use windlass_testkit::Need;

/// The levels at which a child has files, processes and a network of its own.
pub(crate) const APART: [Level; 2] = [Level::Namespaces, Level::Bubblewrap];
const CONFINED: [Level; 3] = [Level::Namespaces, Level::Bubblewrap, Level::Landlock];
const NEEDS: [Need; 3] = [Need::Namespaces, Need::Bubblewrap, Need::Landlock];

pub(crate) fn helper() -> Helper {
    Helper::new(env!("CARGO_BIN_EXE_windlass-confine"))
}

pub(crate) fn probe() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| Probe::run(&helper()))
}

/// Returns the confined levels that the machine has.
pub(crate) fn confined() -> Vec<Level> {
    CONFINED.into_iter().filter(|level| reaches(*level)).collect()
}

/// Returns the levels of `APART` that the machine has.
pub(crate) fn apart() -> Vec<Level> {
    APART.into_iter().filter(|level| reaches(*level)).collect()
}

/// Returns true if the machine has a level; otherwise its case is skipped.
pub(crate) fn reaches(level: Level) -> bool {
    NEEDS[place(level)].check(tried(level).as_ref()).is_some()
}

/// Returns the result of the probe of a level.
pub(crate) fn tried(level: Level) -> &'static Result<Probe, LevelFailure> {
    static TRIED: OnceLock<Vec<Result<Probe, LevelFailure>>> = OnceLock::new();
    let all = TRIED.get_or_init(|| CONFINED.map(|level| Probe::at(&helper(), level)).into());
    &all[place(level)]
}

fn place(level: Level) -> usize {
    CONFINED.iter().position(|known| *known == level).unwrap()
}
