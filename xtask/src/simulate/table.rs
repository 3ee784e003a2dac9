//! The table of the load model, in Markdown.

use super::events::Observation;
use super::load::{Bill, Load, Rates};

/// Prints the rates of both methods, the delays of the simulation, and the sizes and costs.
pub(super) fn print(load: &Load, predicted: &Rates, observed: &Observation, bill: &Bill) {
    println!("| rate | closed form | simulation | difference |");
    println!("|---|---|---|---|");
    for (name, closed, simulated) in pair(predicted, &observed.rates) {
        let difference = difference(closed, simulated) * 100.0;
        println!("| {name} | {} | {} | {difference:.1} % |", format(closed), format(simulated));
    }
    println!("\n| delay in the simulation ({} steps) | p50 | p99 |", observed.steps);
    println!("|---|---|---|");
    println!(
        "| step waits for a worker, s | {} | {} |",
        format(observed.queue_p50),
        format(observed.queue_p99)
    );
    println!(
        "| writes wait for the store, s | {} | {} |",
        format(observed.store_p50),
        format(observed.store_p99)
    );
    println!("\n| size or monthly cost | value |");
    println!("|---|---|");
    let rows = [
        ("workers", load.workers),
        ("places for steps in all workers", load.places()),
        ("seconds of a step", load.step_seconds()),
        ("mean wait, hours", load.wait / 3_600.0),
        ("records of open runs, GB", bill.open_gigabytes),
        ("working runs, each a process of `windlass run`", bill.working_runs),
        ("reads of inboxes a second", bill.polls_per_second),
        ("database servers at the target utilization", bill.database_servers),
        ("memory if workers cache all runs, GB", bill.cache_gigabytes),
        ("workers, $", bill.dollars_workers),
        ("database with one month of records, $", bill.dollars_database),
        ("Temporal: events of an open run's history", bill.history_events_per_run),
        ("Temporal: history of an open run, kB", bill.history_kilobytes_per_run),
        ("Temporal: histories of open runs, GB", bill.history_gigabytes),
        ("Temporal Cloud: actions a second", bill.actions_per_second),
        ("Temporal Cloud: actions at the last public price, $", bill.dollars_actions),
        ("Temporal Cloud: histories of open runs, $", bill.dollars_histories),
    ];
    for (name, value) in rows {
        println!("| {name} | {} |", format(value));
    }
}

/// Returns the largest relative difference between the rates.
pub(super) fn find_largest_difference(predicted: &Rates, observed: &Rates) -> f64 {
    pair(predicted, observed)
        .into_iter()
        .map(|(_, closed, simulated)| difference(closed, simulated))
        .fold(0.0, f64::max)
}

fn pair(closed: &Rates, simulated: &Rates) -> [(&'static str, f64, f64); 5] {
    [
        ("steps a second", closed.steps_per_second, simulated.steps_per_second),
        ("writes a second", closed.writes_per_second, simulated.writes_per_second),
        ("utilization of the workers", closed.worker_utilization, simulated.worker_utilization),
        ("utilization of the store", closed.store_utilization, simulated.store_utilization),
        ("growth of the database, GB a day", closed.gigabytes_per_day, simulated.gigabytes_per_day),
    ]
}

fn difference(closed: f64, simulated: f64) -> f64 {
    (simulated - closed).abs() / closed
}

/// Formats a number with the digits that its size needs.
fn format(number: f64) -> String {
    if number >= 100.0 {
        format!("{number:.0}")
    } else if number >= 1.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.3}")
    }
}
