//! Limits on the cost of a decision, checked before any rule is compared.

use windlass_protocol::Effect;

use crate::part::Part;
use crate::reading::CommandReading;
use crate::{Policy, Reason, Source};

/// Maximum number of effects of one call. Each effect is looked up among the targets.
const MAX_EFFECTS: usize = 4_096;
/// Maximum number of comparisons in one decision. Comparing one rule with 256 bytes of a path counts as one.
const MAX_COMPARISONS: usize = 500_000;
const COMPARED_BYTES: usize = 256;

/// Returns the reason to deny a call with too many effects, before it is split into parts.
pub(crate) fn too_many_effects(effects: &[Effect]) -> Option<Reason> {
    let count = effects.len();
    (count > MAX_EFFECTS)
        .then(|| refuse(&format!("the call has {count} effects, at most {MAX_EFFECTS} are decided")))
}

/// Returns the reason to deny a call whose parts need too many comparisons with the rules.
pub(crate) fn too_many_comparisons(policy: &Policy, parts: &[Part<'_>]) -> Option<Reason> {
    let places = parts.iter().map(places).fold(0, usize::saturating_add);
    let is_too_much = places.saturating_mul(policy.count()) > MAX_COMPARISONS;
    is_too_much.then(|| refuse(&format!("the call reaches too many paths for the {} rules", policy.count())))
}

/// Returns the number of paths and programs of a part that each rule is compared with. A long path counts
/// once more for every 256 bytes.
fn places(part: &Part<'_>) -> usize {
    let words = part.reading.as_ref().map_or(0, CommandReading::count);
    let lengths = part.path.iter().chain(&part.aliases).map(|path| path.len() / COMPARED_BYTES);
    lengths.fold(words.saturating_add(1).saturating_add(part.aliases.len()), usize::saturating_add)
}

fn refuse(text: &str) -> Reason {
    Reason::new(Reason::TOO_MUCH, Source::Builtin, text)
}
