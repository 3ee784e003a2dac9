#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod display;
mod facts;
mod place;
mod policy;
mod rule;

mod burden;
mod host;
mod links;
mod own;
mod part;
mod reading;
mod review;
mod risk;

mod autonomy;
mod floor;
mod must_ask;
mod validity;

mod approval_history;
mod decision;
mod grants;
mod stage;

mod decide;
mod deny_early;
mod path_rules;

mod canonical;
mod digest;

#[cfg(feature = "kit")]
pub mod kit;

mod approval;
mod approvals;
mod prompt;

pub use approval::{ApprovalDecision, ApprovalOutcome, ApprovalRequest};
pub use approval_history::{ApprovalHistory, ApprovalHistoryError, AskOutcome, RememberedApproval};
pub use approvals::{AnswerError, Approvals, DEFAULT_TIMEOUT_MS};
pub use decide::decide;
pub use decision::{Decision, Reason, Source, TraceEntry, Verdict};
pub use deny_early::deny_early;
pub use digest::{Binding, Digest};
pub use display::{display_line, display_safe, escape_unsafe, has_invisible};
pub use facts::{Autonomy, PolicyInput};
pub use grants::{GrantError, Grants};
pub use host::is_public;
pub use links::RuleLink;
pub use own::OwnPlace;
pub use path_rules::PathRules;
pub use policy::{Objection, Policy, PolicyError};
pub use review::Review;
pub use rule::{Action, ArgumentCondition, Constraint, CustomCondition, EffectKind, Rule, RuleFile};
pub use stage::{Stage, UnknownStage};
pub use {windlass_protocol::Risk, windlass_text::GlobError};
