//! Types of other crates that the interface of an agent has.

pub use windlass_loop::{
    Budget, BudgetUsage, CallIndex, CallStart, CompactionMode, ContextLimits, ContextPressure, DeliverAt,
    Entry, Event, HookAction, HookPoint, HookReport, ImportedTranscript, InterruptId, InterruptReason, Mend,
    Outcome, Prices, RunLimits, RunOrigin, StopCause, Transcript, UnansweredPolicy, UnknownEffects, Wait,
};
pub use windlass_tokens::CountTokens;
