//! The scenarios of the conformance suites that are expected to fail, with the reasons, and the numbers of
//! those that must pass.

/// The expectation of one suite in one mode.
#[derive(Clone, Copy)]
pub(crate) struct Expectation {
    /// Number of scenarios that must pass. It only rises.
    pub(crate) floor: usize,
    /// Expected failures by scenario name, with the reason. A scenario that passes fails the run and must
    /// be removed from the list.
    pub(crate) failures: &'static [(&'static str, &'static str)],
}

const NO_AUDIO: &str =
    "results of tools are text, pictures, documents and values, as the four wire formats take them";
const NO_LOGGING: &str =
    "no log is served: the messages of a running tool are its progress (deprecated in 2026-07-28)";
const NO_SAMPLING: &str = "the client's model and roots are never used (deprecated in 2026-07-28)";
const NO_TASKS: &str = "the extension of tasks is not offered (the suite does not score extensions)";
const NO_SUCH_GRANT: &str =
    "tokens are not bound to a key, and a program has no identity of its workload (extension)";

/// The published suite, against a server of this project.
pub(crate) const SERVER: Expectation = Expectation {
    floor: 28,
    failures: &[
        ("logging-set-level", NO_LOGGING),
        ("tools-call-with-logging", NO_LOGGING),
        ("tools-call-audio", NO_AUDIO),
        ("tools-call-sampling", NO_SAMPLING),
    ],
};

/// The published suite, against the client.
pub(crate) const CLIENT: Expectation = Expectation {
    floor: 25,
    failures: &[(
        "auth/2025-03-26-oauth-metadata-backcompat",
        "the authority names itself otherwise than its address, which is refused whatever the version",
    )],
};

/// The scenarios of 2026-07-28 in the next suite, against a server of this project.
pub(crate) const NEXT_SERVER: Expectation = Expectation {
    floor: 35,
    failures: &[
        ("server-stateless", "the scenario requires a tool that needs sampling, and one that writes a log"),
        ("tools-call-audio", NO_AUDIO),
        ("input-required-result-basic-sampling", NO_SAMPLING),
        ("input-required-result-basic-list-roots", NO_SAMPLING),
        ("input-required-result-multiple-input-requests", NO_SAMPLING),
        ("input-required-result-capability-check", NO_SAMPLING),
        ("tasks-lifecycle", NO_TASKS),
        ("tasks-capability-negotiation", NO_TASKS),
        ("tasks-wire-fields", NO_TASKS),
        ("tasks-request-state-removal", NO_TASKS),
        ("tasks-mrtr-input", NO_TASKS),
        ("tasks-request-headers", NO_TASKS),
        ("tasks-dispatch-and-envelope", NO_TASKS),
        ("tasks-required-task-error", NO_TASKS),
        ("tasks-mrtr-composition", NO_TASKS),
    ],
};

/// The scenarios of 2026-07-28 in the next suite, against the client.
pub(crate) const NEXT_CLIENT: Expectation = Expectation {
    floor: 36,
    failures: &[
        ("auth/dpop", NO_SUCH_GRANT),
        ("auth/dpop-nonce", NO_SUCH_GRANT),
        ("auth/wif-jwt-bearer", NO_SUCH_GRANT),
    ],
};

#[cfg(test)]
mod tests {
    use super::{CLIENT, Expectation, NEXT_CLIENT, NEXT_SERVER, SERVER};

    const PAGE: &str = include_str!("../../../docs/MCP_CONFORMANCE.md");

    /// The expectations with their rows in the first table of the page.
    const RUNS: [(&str, Expectation); 4] = [
        ("published, server", SERVER),
        ("2026-07-28, server", NEXT_SERVER),
        ("published, client", CLIENT),
        ("2026-07-28, client", NEXT_CLIENT),
    ];

    #[test]
    fn the_page_has_each_scenario_and_the_counts() {
        for (name, expected) in RUNS {
            let all = expected.floor + expected.failures.len();
            let row = format!("| {name} | {all} | {} |", expected.floor);
            assert!(PAGE.contains(&row), "{row}");
            for (scenario, _) in expected.failures {
                assert!(PAGE.contains(&format!("| `{scenario}` |")), "{scenario}");
            }
        }
        let rows = PAGE.lines().filter(|line| line.contains("| `")).count();
        // `tools-call-audio` fails in both suites, and has one row.
        let failures: usize = RUNS.iter().map(|(_, expected)| expected.failures.len()).sum();
        assert_eq!(rows, failures - 1, "a row of the page is not expected");
    }
}
