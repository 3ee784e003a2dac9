//! The rules of the code of a policy.

use std::fmt;

/// A rule that a check or a permission in code has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PolicyCodeRule {
    /// The function does not panic for any kind of call.
    NeverPanics,
    /// Equal facts have equal answers, so that a decision can be repeated from the record.
    RepeatsAnswers,
    /// An objection has a text, which the human or the model reads.
    ExplainsObjections,
    /// A permission does not allow calls of a tool that the program does not have.
    PermitsNoStrangers,
    /// The function applies to the calls that the test names.
    AppliesToTheExamples,
    /// The function does not apply to the other calls that the test names.
    SparesTheOthers,
}

impl PolicyCodeRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::NeverPanics,
        Self::RepeatsAnswers,
        Self::ExplainsObjections,
        Self::PermitsNoStrangers,
        Self::AppliesToTheExamples,
        Self::SparesTheOthers,
    ];
}

impl fmt::Display for PolicyCodeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverPanics => "the code of a policy does not panic",
            Self::RepeatsAnswers => "equal facts have equal answers",
            Self::ExplainsObjections => "an objection has a text",
            Self::PermitsNoStrangers => "a permission does not allow unknown tools",
            Self::AppliesToTheExamples => "the function applies to the examples",
            Self::SparesTheOthers => "the function spares the other examples",
        })
    }
}
