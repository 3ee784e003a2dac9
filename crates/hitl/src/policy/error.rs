//! Errors of policy files.

/// Error of a policy file. The whole file is refused, so that a file is never partly in force.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A glob cannot be parsed.
    #[error("rule {id}: the glob {glob} cannot be read")]
    Glob {
        /// The id of the rule or constraint.
        id: String,
        /// The glob.
        glob: String,
        /// The reason.
        source: globset::Error,
    },
    /// A glob exceeds the limits on its length, its braces or their nesting.
    #[error("rule {id}: the glob is too large")]
    GlobSize {
        /// The id of the rule or constraint.
        id: String,
        /// The limit that it exceeds.
        source: windlass_text::GlobError,
    },
    /// The policy has too many rules and constraints, too many globs, or a file has too many examples.
    #[error("the policy has more than {limit} {what}")]
    TooMany {
        /// The kind that is counted: rules and constraints, globs, or examples in one file.
        what: &'static str,
        /// The maximum, for all files together except for examples.
        limit: usize,
    },
    /// A host cannot be parsed.
    #[error(
        "rule {id}: {host} is not a valid host; write a name, an address, or *.name for every host \
         below it"
    )]
    Host {
        /// The id of the rule or constraint.
        id: String,
        /// The host.
        host: String,
    },
    /// A rule or constraint has an empty id, so that no message could name it.
    #[error("a rule or constraint has an empty id")]
    EmptyId,
    /// An id is used twice, or begins like the ids of built-in rules.
    #[error("rule {id}: the id is already used")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// An example contradicts its rule.
    #[error("rule {id}: the example `{example}` {}", if *fits { "is one that it fits, under not_match" } else { "is one that it does not fit, under match" })]
    Example {
        /// The id of the rule or constraint.
        id: String,
        /// The example.
        example: String,
        /// True if the rule matches the example.
        fits: bool,
    },
    /// A project's file has an allow rule.
    #[error(
        "rule {id}: a project's policy can deny and ask, but not allow; move the rule to the user's policy"
    )]
    Loosens {
        /// The id of the rule or constraint.
        id: String,
    },
}
