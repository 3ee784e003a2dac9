//! Conformance of stores. A store that passes can hold runs that several processes share.

mod check;
mod leases;
mod rule;
mod values;

use std::sync::Arc;

use crate::{Store, StoreError};

use check::{OrRule as _, RuleResult};
pub use rule::StoreRule;

/// Checks a store. `open` opens the same storage each time it is called, which is empty at first; a store that does not
/// outlive its value returns a shared handle.
///
/// The kit creates runs whose names begin with `kit-`, writes and reads every kind of value, lets eight threads claim
/// one run, takes runs over from owners whose lease has ended, and opens the store again. The kit does not kill
/// processes and does not wait for an expiry: it claims a run with a lease of zero length.
///
/// ```
/// use std::sync::Arc;
/// use windlass_store::{MemoryStore, kit::check_store};
///
/// let store = Arc::new(MemoryStore::default());
/// check_store(|| Ok(store.clone()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the first rule that the store does not follow.
pub fn check_store(mut open: impl FnMut() -> Result<Arc<dyn Store>, StoreError>) -> RuleResult {
    let store = open().or_rule(StoreRule::KeepsRuns, "the store could not be opened")?;
    values::check_runs(&*store)?;
    values::check_unknown_run(&*store)?;
    values::check_names(&*store)?;
    values::check_records(&*store)?;
    values::check_journals(&*store)?;
    values::check_answers(&*store)?;
    values::check_messages(&store)?;
    values::check_outputs(&*store)?;
    leases::check_owner(&store)?;
    leases::check_release(&*store)?;
    leases::check_takeover(&*store)?;
    drop(store);
    let store = open().or_rule(StoreRule::SurvivesReopening, "the store could not be opened again")?;
    values::check_reopened(&*store)
}
