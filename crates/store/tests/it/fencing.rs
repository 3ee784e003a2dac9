//! One owner for each run: leases, take-over, and refused writes.

use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use windlass_journal::{Durability, Journal, JournalError};
use windlass_store::{Heartbeat, Store, StoreError};

use crate::scene::{Scene, over_each_store};

const LONG: Duration = Duration::from_mins(10);
/// A lease that has expired when the claim returns.
const EXPIRED: Duration = Duration::ZERO;

over_each_store! {
    a_run_has_one_owner_at_a_time
    a_released_run_can_be_claimed_and_its_former_owner_writes_no_more
    of_many_claims_at_once_one_succeeds
    every_write_of_a_former_owner_is_refused
    a_heartbeat_keeps_a_lease_and_reports_its_loss
}

fn append(journal: &mut dyn Journal) -> Result<u64, JournalError> {
    journal.append("1".parse().unwrap(), 0, Durability::Synced)
}

fn store_with_run(scene: &Scene) -> Arc<dyn Store> {
    scene.store.create_run("r", &"{}".parse().unwrap()).unwrap();
    Arc::clone(&scene.store)
}

fn a_run_has_one_owner_at_a_time(scene: &Scene) {
    let store = store_with_run(scene);
    let lease = store.claim("r", LONG).unwrap();
    assert_eq!((lease.run(), lease.fence()), ("r", 1));
    let refused = store.claim("r", LONG);
    assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    append(&mut *lease.open_run_journal().unwrap()).unwrap();
    lease.renew().unwrap();
}

fn a_released_run_can_be_claimed_and_its_former_owner_writes_no_more(scene: &Scene) {
    let store = store_with_run(scene);
    let first = store.claim("r", LONG).unwrap();
    let mut journal = first.open_run_journal().unwrap();
    append(&mut *journal).unwrap();
    first.release().unwrap();
    assert!(matches!(append(&mut *journal), Err(JournalError::LeaseLost { fence: 1, .. })));
    let second = store.claim("r", LONG).unwrap();
    assert_eq!(second.fence(), 2);
    assert!(matches!(append(&mut *journal), Err(JournalError::LeaseLost { fence: 1, .. })));
    assert_eq!(append(&mut *second.open_run_journal().unwrap()).unwrap(), 1);
}

fn of_many_claims_at_once_one_succeeds(scene: &Scene) {
    let store = store_with_run(scene);
    let barrier = Arc::new(Barrier::new(8));
    let claim = || {
        let (store, barrier) = (Arc::clone(&store), Arc::clone(&barrier));
        std::thread::spawn(move || {
            barrier.wait();
            store.claim("r", LONG)
        })
    };
    let threads: Vec<_> = (0..8).map(|_| claim()).collect();
    let claims: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let owners = claims.iter().filter(|claim| claim.is_ok()).count();
    let busy = claims.iter().filter(|claim| matches!(claim, Err(StoreError::Busy { .. }))).count();
    assert_eq!((owners, busy), (1, 7), "{claims:?}");
}

// The database refuses the write: the first owner does not know yet that its lease has expired.
fn every_write_of_a_former_owner_is_refused(scene: &Scene) {
    if !scene.has_expiry {
        // The process of the owner exists, so its lock cannot be taken.
        let store = store_with_run(scene);
        let first = store.claim("r", EXPIRED).unwrap();
        assert!(matches!(store.claim("r", LONG), Err(StoreError::Busy { .. })));
        drop(first);
        assert_eq!(store.claim("r", LONG).unwrap().fence(), 2);
        return;
    }
    let store = store_with_run(scene);
    let first = store.claim("r", EXPIRED).unwrap();
    let (mut own, mut inner) = (first.open_run_journal().unwrap(), first.open("r/call").unwrap());
    append(&mut *own).unwrap();
    append(&mut *inner).unwrap();
    let number = store.push_message("r", &"1".parse().unwrap()).unwrap();
    let second = store.claim("r", LONG).unwrap();
    assert_eq!(second.fence(), 2);
    for journal in [&mut own, &mut inner] {
        assert!(matches!(append(&mut **journal), Err(JournalError::LeaseLost { fence: 1, .. })));
    }
    assert!(first.open_run_journal().is_err() && first.open("r/call").is_err());
    assert!(matches!(first.put_output("a", b"x"), Err(StoreError::LeaseLost { fence: 1, .. })));
    assert!(matches!(first.renew(), Err(StoreError::LeaseLost { fence: 1, .. })));
    assert!(matches!(first.remove_message(number), Err(StoreError::LeaseLost { fence: 1, .. })));
    // Its release must not end the lease of its successor.
    drop(first.release());
    assert_eq!(append(&mut *second.open_run_journal().unwrap()).unwrap(), 1);
    assert_eq!(store.read_run_journal("r").unwrap().len(), 2);
    assert_eq!(store.read_journal("r", "r/call").unwrap().len(), 1);
    assert!(store.list_outputs("r").unwrap().is_empty());
    assert_eq!(store.read_messages("r").unwrap().len(), 1);
}

fn a_heartbeat_keeps_a_lease_and_reports_its_loss(scene: &Scene) {
    let store = store_with_run(scene);
    let lease = store.claim("r", Duration::from_secs(1)).unwrap();
    let (sender, lost) = channel();
    let interval = Duration::from_millis(50);
    let beat = Heartbeat::start(Arc::clone(&lease), interval, move || sender.send(()).unwrap()).unwrap();
    // Longer than the lease: without a renewal it would have expired.
    std::thread::sleep(Duration::from_millis(1500));
    assert!(matches!(store.claim("r", LONG), Err(StoreError::Busy { .. })));
    assert!(lost.try_recv().is_err());
    lease.release().unwrap();
    assert!(lost.recv_timeout(Duration::from_secs(20)).is_ok());
    drop(beat);
}
