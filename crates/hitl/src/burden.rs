//! What a decision may cost: counted before anything is compared.

use windlass_protocol::Effect;

use crate::part::Part;
use crate::reading::Reading;
use crate::{Policy, Reason, Source};

/// The most effects of one call. What a call meets is looked up for each.
const MAX_EFFECTS: usize = 4_096;
/// The most comparisons of a rule with a path, or with 256 bytes of a long one, in one decision.
const MAX_COMPARISONS: usize = 500_000;
const COMPARED_BYTES: usize = 256;

/// Why a call is refused before it is taken apart, if it is.
pub(crate) fn too_many_effects(effects: &[Effect]) -> Option<Reason> {
    let count = effects.len();
    (count > MAX_EFFECTS)
        .then(|| refused(&format!("the call has {count} effects, at most {MAX_EFFECTS} are judged")))
}

/// Why a call is refused before its parts are compared with the rules, if it is.
pub(crate) fn too_many_comparisons(policy: &Policy, parts: &[Part<'_>]) -> Option<Reason> {
    let places = parts.iter().map(places).fold(0, usize::saturating_add);
    let is_too_much = places.saturating_mul(policy.count()) > MAX_COMPARISONS;
    is_too_much.then(|| refused(&format!("the call reaches too many paths for the {} rules", policy.count())))
}

/// How many paths and programs of a part each rule is compared with.
fn places(part: &Part<'_>) -> usize {
    let words = part.reading.as_ref().map_or(0, Reading::count);
    let lengths = part.path.iter().chain(&part.aliases).map(|path| path.len() / COMPARED_BYTES);
    lengths.fold(words.saturating_add(1).saturating_add(part.aliases.len()), usize::saturating_add)
}

fn refused(text: &str) -> Reason {
    Reason::new("v.too_much", Source::Builtin, format!("{text}; make several smaller calls"))
}
