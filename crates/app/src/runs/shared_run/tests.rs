//! Tests of runs that another process takes over.

use windlass_store::MemoryStore;

use super::*;

#[test]
fn a_refused_append_marks_the_lease_as_lost() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let body = || "{}".parse::<RawJson>().unwrap();
    store.create_run("r", &body()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let first = SharedRun::new(&store, "r");
    let shown = first.clone();
    let mut journal = first.open_journal(folder.path().join("outputs"), &CancellationToken::new()).unwrap();
    journal.append(body(), 0, Durability::Synced).unwrap();
    assert!(!shown.has_lost_lease());

    // The lease ends as at its expiry, and another process claims the run.
    first.lease().unwrap().release().unwrap();
    let second = SharedRun::new(&store, "r");
    let _taken_over = second.open_journal(folder.path().join("others"), &CancellationToken::new()).unwrap();
    let refused = journal.append(body(), 1, Durability::Synced);
    assert!(matches!(refused, Err(JournalError::LeaseLost { .. })), "{refused:?}");
    assert!(shown.has_lost_lease() && !second.has_lost_lease());
}
