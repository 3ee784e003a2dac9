//! The scenarios of the conformance suite that are expected to fail, with the reasons.

/// Expected failures by scenario name, with the reason. A scenario that passes fails the run and must be
/// removed from the list.
pub(crate) type Expected = &'static [(&'static str, &'static str)];

const NO_RESOURCES: &str = "tools are served, and no resources";
const NO_PROMPTS: &str = "tools are served, and no prompts";
const NO_SUCH_PIECE: &str =
    "no tool here gives such a piece; results are text, pictures, documents and values";
const NO_LOGGING: &str = "no log is served: what a tool says while it runs is its progress";
const OWN_FORMS: &str = "what is asked is whether a call may run, or a tool's question: the forms are ours";

/// The expected failures of `windlass mcp serve`.
pub(crate) const SERVER: Expected = &[
    ("logging-set-level", NO_LOGGING),
    ("tools-call-with-logging", NO_LOGGING),
    ("tools-call-audio", NO_SUCH_PIECE),
    ("tools-call-embedded-resource", "a tool of a file gives text and pictures only"),
    ("tools-call-mixed-content", "a tool of a file gives text and pictures only"),
    ("tools-call-sampling", "the client's model is never used"),
    ("tools-call-elicitation", OWN_FORMS),
    ("elicitation-sep1034-defaults", OWN_FORMS),
    ("elicitation-sep1330-enums", OWN_FORMS),
    ("resources-read-text", NO_RESOURCES),
    ("resources-read-binary", NO_RESOURCES),
    ("resources-templates-read", NO_RESOURCES),
    ("resources-subscribe", NO_RESOURCES),
    ("resources-unsubscribe", NO_RESOURCES),
    ("prompts-get-simple", NO_PROMPTS),
    ("prompts-get-with-args", NO_PROMPTS),
    ("prompts-get-embedded-resource", NO_PROMPTS),
    ("prompts-get-with-image", NO_PROMPTS),
];

/// The expected failures of the client.
pub(crate) const CLIENT: Expected = &[
    (
        "auth/2025-03-26-oauth-metadata-backcompat",
        "the authority names itself otherwise than its address, which is refused whatever the version",
    ),
    ("auth/client-credentials-jwt", "a program signs in with a secret, and with no key of its own"),
    ("auth/cross-app-access-complete-flow", "nobody signs in through an enterprise's own authority here"),
];
