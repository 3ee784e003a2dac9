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
        source: crate::GlobError,
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
    /// The unit of a bound on an amount is missing.
    #[error("rule {id}: a bound on an amount needs its unit, for example `unit = \"EUR-cent\"`")]
    NoUnit {
        /// The id of the rule or constraint.
        id: String,
    },
    /// A bound on an argument is not a finite number, so no number could be compared with it.
    #[error("rule {id}: a bound on an argument has to be a finite number")]
    Bound {
        /// The id of the rule.
        id: String,
    },
    /// The place of an argument is not a JSON Pointer.
    #[error("rule {id}: `{pointer}` is not a JSON Pointer; write `/` before each name, for example `/to`")]
    Pointer {
        /// The id of the rule.
        id: String,
        /// The place as it was written.
        pointer: String,
    },
    /// A constraint has a condition about custom effects and is about another kind of effect.
    #[error("constraint {id}: `custom` needs `effect = \"custom\"`")]
    NotCustom {
        /// The id of the constraint.
        id: String,
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
