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

const NO_AUDIO: &str = "results of tools are text, pictures, documents and values";
const NO_LOGGING: &str =
    "no log is served: the messages of a running tool are its progress (deprecated in 2026-07-28)";
const NO_SUBSCRIPTION: &str = "resources do not announce changes";
const ONE_QUESTION: &str =
    "the scenario prescribes its own state and questions; a call here asks one question at a time";
const NO_SAMPLING: &str = "the client's model and roots are never used";
const NO_TASKS: &str = "the extension of tasks is not offered";
const NO_SUCH_GRANT: &str =
    "tokens are not bound to a key, and a program has no identity of its workload (extension)";

/// The published suite, against a server of this project.
pub(crate) const SERVER: Expectation = Expectation {
    floor: 26,
    failures: &[
        ("logging-set-level", NO_LOGGING),
        ("tools-call-with-logging", NO_LOGGING),
        ("tools-call-audio", NO_AUDIO),
        ("tools-call-sampling", NO_SAMPLING),
        ("resources-subscribe", NO_SUBSCRIPTION),
        ("resources-unsubscribe", NO_SUBSCRIPTION),
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
    floor: 28,
    failures: &[
        ("server-stateless", "the scenario requires tools that ask without permission and write logs"),
        ("tools-call-audio", NO_AUDIO),
        ("input-required-result-basic-elicitation", ONE_QUESTION),
        ("input-required-result-basic-sampling", NO_SAMPLING),
        ("input-required-result-basic-list-roots", NO_SAMPLING),
        ("input-required-result-request-state", ONE_QUESTION),
        ("input-required-result-multiple-input-requests", ONE_QUESTION),
        ("input-required-result-multi-round", ONE_QUESTION),
        ("input-required-result-non-tool-request", "prompts and resources ask no questions"),
        ("input-required-result-result-type", ONE_QUESTION),
        ("input-required-result-tampered-state", ONE_QUESTION),
        ("input-required-result-capability-check", ONE_QUESTION),
        ("tasks-lifecycle", NO_TASKS),
        ("tasks-capability-negotiation", NO_TASKS),
        ("tasks-wire-fields", NO_TASKS),
        ("tasks-request-state-removal", NO_TASKS),
        ("tasks-mrtr-input", NO_TASKS),
        ("tasks-request-headers", NO_TASKS),
        ("tasks-dispatch-and-envelope", NO_TASKS),
        ("tasks-required-task-error", NO_TASKS),
        ("tasks-mrtr-composition", NO_TASKS),
        ("http-custom-header-server-validation", "no tool requests its arguments as headers"),
    ],
};

/// The scenarios of 2026-07-28 in the next suite, against the client.
pub(crate) const NEXT_CLIENT: Expectation = Expectation {
    floor: 35,
    failures: &[
        ("auth/scope-step-up", "all checks pass, with a warning: only the challenged scopes are requested"),
        ("auth/dpop", NO_SUCH_GRANT),
        ("auth/dpop-nonce", NO_SUCH_GRANT),
        ("auth/wif-jwt-bearer", NO_SUCH_GRANT),
    ],
};
