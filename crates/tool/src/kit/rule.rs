//! The rules of tools.

use std::fmt;

/// A rule that a tool has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolRule {
    /// A method of the tool does not panic, whatever a model writes.
    NeverPanics,
    /// `spec` and `hints` return the same values each time.
    RepeatsItsSpec,
    /// The description is not empty.
    DescribesItself,
    /// The schema of a function is an object whose `type` is `object`.
    HasAnObjectSchema,
    /// `effects` returns the same effects for the same payload.
    RepeatsEffects,
    /// `inspect` returns the same value as long as nothing changes.
    RepeatsInspection,
    /// A tool with the hint `read_only` has no effect that changes something.
    HintsAtChanges,
    /// `effects` returns every effect that `early_effects` returned.
    KeepsEarlyEffects,
    /// A payload of another kind returns [`ToolError::Model`](crate::ToolError::Model) with a text.
    RefusesOtherPayloads,
    /// The example of the test succeeds.
    RunsTheExample,
    /// The output contains a text or an image.
    ReturnsContent,
    /// `aftermath` returns `Done` after a call that changed its planned files, and not before it.
    RecognizesTheAftermath,
    /// After a dropped call, a call returns no fatal error; an idempotent call succeeds.
    SurvivesDrops,
}

impl ToolRule {
    /// Every rule.
    pub const ALL: &[Self] = &[
        Self::NeverPanics,
        Self::RepeatsItsSpec,
        Self::DescribesItself,
        Self::HasAnObjectSchema,
        Self::RepeatsEffects,
        Self::RepeatsInspection,
        Self::HintsAtChanges,
        Self::KeepsEarlyEffects,
        Self::RefusesOtherPayloads,
        Self::RunsTheExample,
        Self::ReturnsContent,
        Self::RecognizesTheAftermath,
        Self::SurvivesDrops,
    ];
}

impl fmt::Display for ToolRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverPanics => "a tool does not panic",
            Self::RepeatsItsSpec => "a tool has one spec and one set of hints",
            Self::DescribesItself => "a tool describes itself to the model",
            Self::HasAnObjectSchema => "the schema of a function has the type `object`",
            Self::RepeatsEffects => "a payload has one list of effects",
            Self::RepeatsInspection => "an inspection changes nothing",
            Self::HintsAtChanges => "a tool that only reads has no effect that changes something",
            Self::KeepsEarlyEffects => "early effects are effects of the call",
            Self::RefusesOtherPayloads => "a payload of another kind is an error for the model",
            Self::RunsTheExample => "the example succeeds",
            Self::ReturnsContent => "an output has content",
            Self::RecognizesTheAftermath => "the aftermath follows the call",
            Self::SurvivesDrops => "a dropped call leaves no state behind",
        })
    }
}
