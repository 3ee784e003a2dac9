//! Answer that a person looks at before it counts.

use windlass_protocol::Arguments;
use windlass_screen::{ApprovalCard, RuleCard};

/// Answer that a person looks at before it counts.
#[derive(Debug)]
pub(super) enum Review {
    /// Changed arguments, as a card of their own.
    Edit { arguments: Arguments, card: Box<ApprovalCard> },
    /// A rule for the policy file.
    Rule { digest: String, card: RuleCard },
}
