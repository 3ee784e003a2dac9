//! The table of faults: each with the tests that inject it, or with the issue that owns it.

/// A fault by its group and its words.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) fault: &'static str,
    pub(super) shown: Shown,
}

/// What shows that a fault is survived.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// Tests of the workspace: a package and a test's path in it.
    By(&'static [(&'static str, &'static str)]),
    /// The issue that owns it.
    Later(u32),
}

const fn by(group: &'static str, fault: &'static str, tests: &'static [(&'static str, &'static str)]) -> Row {
    Row { group, fault, shown: Shown::By(tests) }
}

const fn later(group: &'static str, fault: &'static str, issue: u32) -> Row {
    Row { group, fault, shown: Shown::Later(issue) }
}

pub(super) const TABLE: &[Row] = &[
    by(
        "provider",
        "unknown tool",
        &[("windlass-toolbox", "check::an_unknown_tool_is_answered_with_the_ones_there_are")],
    ),
    later("loop", "kill -9 at any point", 7),
];
