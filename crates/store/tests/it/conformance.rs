//! The conformance suite for durable drivers, over each store: processes die at every point, and others claim
//! the run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_store::{Lease, Store, StoreError};
use windlass_testkit::durable::{Harness as _, MachineHarness, check};

use crate::scene::{Scene, over_each_store};

over_each_store! { a_driver_over_a_store_conforms }

/// Claims a run, and creates it for its first process.
fn claim(store: &dyn Store, run: u32) -> Result<Arc<dyn Lease>, String> {
    let id = format!("run-{run}");
    let settings = "{}".parse().map_err(|_| "no JSON")?;
    match store.create_run(&id, &settings) {
        Ok(()) | Err(StoreError::Exists { .. }) => {}
        Err(error) => return Err(error.to_string()),
    }
    let began = Instant::now();
    loop {
        // A lease that expires at once: a simulated process dies without releasing it.
        match store.claim(&id, Duration::ZERO) {
            // A process that another test starts has the lock of a closed file until it executes its program.
            Err(StoreError::Busy { .. }) if began.elapsed() < Duration::from_secs(20) => {
                std::thread::yield_now();
            }
            lease => return lease.map_err(|error| error.to_string()),
        }
    }
}

// R5, R6: no acknowledged record is lost, and no call of class `Once` runs twice.
fn a_driver_over_a_store_conforms(scene: &Scene) {
    let store = Arc::clone(&scene.store);
    let mut harness = MachineHarness::over_journal(move |run| {
        let lease = claim(&*store, run)?;
        lease.open_run_journal().map_err(|error| error.to_string())
    });
    let points = harness.points().len();
    let checked = check(&mut harness);
    assert_eq!(checked.problems, Vec::<String>::new());
    assert!(checked.kills as usize >= points * 3, "{} kills at {points} points", checked.kills);
}
