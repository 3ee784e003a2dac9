#![doc = include_str!("../README.md")]

mod display;
mod place;

mod rule;

mod policy;

mod facts;

mod burden;
mod host;
mod links;
mod own;
mod part;
mod reading;
mod risk;

mod floor;
mod mode;
mod must_ask;
mod validity;

mod grants;
mod learned;

mod decision;

mod decide;
mod path_rules;

mod canonical;
mod digest;

mod approval;
mod approvals;
mod prompt;

pub use approval::{ApprovalDecision, ApprovalOutcome, ApprovalRequest};
pub use approvals::{AnswerError, Approvals, DEFAULT_TIMEOUT_MS};
pub use decide::{decide, deny_early};
pub use decision::{Decision, Reason, Source, Step, Verdict};
pub use digest::{Binding, Digest};
pub use display::{display_safe, escape_unsafe, has_invisible};
pub use facts::{Facts, Mode};
pub use grants::{GrantError, Grants};
pub use host::is_public;
pub use learned::{Answer, Learned, LearnedError, Lesson};
pub use links::RuleLink;
pub use own::OwnPlace;
pub use path_rules::PathRules;
pub use policy::{Policy, PolicyError};
pub use rule::{Action, Constraint, EffectKind, Rule, RuleFile};
pub use windlass_protocol::Risk;
