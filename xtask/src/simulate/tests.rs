//! Tests of the closed form and the simulation, with the repository's inputs.

use std::time::Duration;

use super::TOLERANCE;
use super::events::{Observation, Scale, simulate};
use super::inputs::Inputs;
use super::load::{Bill, Load};
use super::table::find_largest_difference;

const INPUTS: &str = include_str!("../../simulate/inputs.toml");

fn inputs() -> Inputs {
    Inputs::parse(INPUTS).unwrap()
}

fn observe(load: &Load, seed: u64) -> Observation {
    let (warm_up, observed) = (Duration::from_mins(30), Duration::from_hours(4));
    simulate(load, &Scale { runs: 10_000, seed, warm_up, observed })
}

/// Returns the load over PostgreSQL with appends that take a millisecond, whatever the inputs measure later.
fn load(workers: Option<f64>) -> Load {
    let mut inputs = inputs();
    inputs.set("append_microseconds_postgres", 1_000.0).unwrap();
    inputs.set("writers_postgres", 32.0).unwrap();
    Load::new(&inputs, "postgres", workers).unwrap()
}

#[test]
fn the_simulation_agrees_with_the_closed_form() {
    let load = load(None);
    for seed in 1..4 {
        let observed = observe(&load, seed);
        let worst = find_largest_difference(&load.predict(), &observed.rates);
        assert!(worst < TOLERANCE, "seed {seed}: {worst}, {observed:?}");
    }
}

#[test]
fn steps_queue_when_the_workers_have_too_few_places() {
    let enough = load(None);
    let few = load(Some((enough.workers * 0.5).floor()));
    let (calm, crowded) = (observe(&enough, 1), observe(&few, 1));
    // Half of the places that run at 70 % leave a demand of 140 %.
    assert!(calm.queue_p99 < 1.0, "{calm:?}");
    assert!(crowded.rates.worker_utilization > 0.97, "{crowded:?}");
    assert!(crowded.queue_p50 > few.step_seconds(), "{crowded:?}");
    assert!(crowded.rates.steps_per_second < calm.rates.steps_per_second * 0.8, "{crowded:?}");
    assert!(find_largest_difference(&few.predict(), &crowded.rates) < TOLERANCE, "{crowded:?}");
}

#[test]
fn writes_queue_when_the_store_is_too_slow() {
    let mut inputs = inputs();
    inputs.set("append_microseconds_sqlite", 1_000.0).unwrap();
    let load = Load::new(&inputs, "sqlite", None).unwrap();
    let (predicted, observed) = (load.predict(), observe(&load, 1));
    assert!((predicted.store_utilization - 1.0).abs() < 1e-9, "{predicted:?}");
    assert!(observed.rates.store_utilization > 0.97, "{observed:?}");
    assert!(observed.store_p50 > load.step_seconds(), "{observed:?}");
    assert!(find_largest_difference(&predicted, &observed.rates) < TOLERANCE, "{observed:?}");
}

#[test]
fn a_seed_gives_the_same_result_each_time() {
    let load = load(None);
    let text = |seed| format!("{:?}", observe(&load, seed));
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

#[test]
fn the_working_share_follows_from_the_inputs() {
    let load = load(None);
    let working = load.predict().steps_per_second * load.step_seconds();
    assert!((working / load.runs - 0.02).abs() < 0.001, "{working}");
}

#[test]
fn the_bill_grows_with_the_load() {
    let bill = |runs| {
        let mut inputs = inputs();
        inputs.set("runs", runs).unwrap();
        let load = Load::new(&inputs, "postgres", None).unwrap();
        Bill::new(&inputs, &load, &load.predict()).unwrap()
    };
    let (small, large) = (bill(100_000.0), bill(200_000.0));
    assert!((large.dollars_actions / small.dollars_actions - 2.0).abs() < 0.01);
    assert!((large.history_gigabytes / small.history_gigabytes - 2.0).abs() < 0.01);
    assert!(large.dollars_workers > small.dollars_workers * 1.9);
}

#[test]
fn a_slow_store_needs_more_servers() {
    let mut inputs = inputs();
    inputs.set("append_microseconds_postgres", 50_000.0).unwrap();
    let load = Load::new(&inputs, "postgres", None).unwrap();
    let bill = Bill::new(&inputs, &load, &load.predict()).unwrap();
    assert!(bill.database_servers > 4.0, "{bill:?}");
}
