#![doc = include_str!("../README.md")]

mod approval;
mod approvals;
mod decide;
mod decision;
mod digest;
mod display;
mod facts;
mod floor;
mod grants;
mod learned;
mod place;
mod policy;
mod rule;

pub use approval::{ApprovalDecision, ApprovalOutcome, ApprovalRequest};
pub use approvals::{AnswerError, Approvals, DEFAULT_TIMEOUT_MS};
pub use decide::{decide, deny_early};
pub use decision::{Decision, Reason, Source, Step, Verdict};
pub use digest::{Binding, Digest};
pub use display::display_safe;
pub use facts::{Facts, Mode};
pub use grants::{GrantError, Grants};
pub use learned::{Answer, Learned, LearnedError, Lesson};
pub use policy::{Policy, PolicyError};
pub use rule::{Action, Constraint, EffectKind, Rule, RuleFile};
pub use windlass_protocol::Risk;
