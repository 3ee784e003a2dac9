//! Tests of a rolling upgrade: a worker with other tools on the queue of runs in flight. docs/OPERATING.md states the
//! rules.

use std::time::{Duration, Instant};

use windlass_temporal::RunSettings;
use windlass_testkit::durable::Job;

use crate::fleet::Fleet;
use crate::scene::{Scene, WorkerKind};

/// The number of runs in flight.
const RUNS: usize = 4;
/// The longest time until the first worker is at work.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn runs_in_flight_get_the_tools_of_a_later_worker_at_their_next_turn(
    scene: &Scene,
) -> Result<String, String> {
    let fleet = Fleet::start(scene, "upgraded", Job::with_questions(), RUNS, |settings| settings)?;
    let mut old = fleet.start_worker(WorkerKind::new("old"))?;
    fleet.wait_until_suspended()?;
    let new = WorkerKind::new("new").with_another_tool();
    let _new = fleet.start_worker(new)?;
    // Half of the runs continue while both workers serve the queue, and the other half when only the later
    // worker does.
    fleet.approve(..RUNS / 2)?;
    std::thread::sleep(Duration::from_millis(500));
    old.kill();
    fleet.approve(RUNS / 2..)?;
    fleet.finish(None, async { Ok(()) })?;
    let offers = scene.read_lines("upgraded", "offers")?;
    let of = |label: &str, has_tool: bool| {
        let fits = |line: &&String| line.starts_with(label) && line.ends_with(" another") == has_tool;
        offers.iter().filter(fits).count()
    };
    let (before, after) = (of("old", false), of("new", true));
    // Each run sends one request before its questions and two after them.
    if before < RUNS || after < 2 * (RUNS - RUNS / 2) {
        return Err(format!("a run did not get the tools of the later worker: {offers:?}"));
    }
    Ok(format!("{before} requests before with the first tools, {after} after with the later ones"))
}

pub(crate) fn pinned_runs_end_on_the_worker_with_their_tools(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    let fleet = Fleet::start(scene, "pinned", job, RUNS, RunSettings::with_pinned_tools)?;
    let mut old = fleet.start_worker(WorkerKind::new("old"))?;
    wait_for_work(scene, "pinned")?;
    let _new = fleet.start_worker(WorkerKind::new("new").with_another_tool())?;
    std::thread::sleep(Duration::from_millis(500));
    // Without a worker that has the first tools, the runs wait; they continue when such a worker exists
    // again.
    old.kill();
    std::thread::sleep(Duration::from_secs(2));
    let _again = fleet.start_worker(WorkerKind::new("old"))?;
    fleet.finish(Some(&expected), async { Ok(()) })?;
    let (marks, offers) = (scene.read_lines("pinned", "marks")?, scene.read_lines("pinned", "offers")?);
    if marks.iter().any(|mark| mark.ends_with(" new"))
        || offers.iter().any(|offer| offer.ends_with(" another"))
    {
        return Err(format!("the later tools were used: {marks:?} {offers:?}"));
    }
    // A request to the model needs no tools, so each worker sends it.
    Ok(format!("{} calls on workers with the first tools, {} requests", marks.len(), offers.len()))
}

/// Waits until a worker of a queue has sent a request to the model.
fn wait_for_work(scene: &Scene, queue: &str) -> Result<(), String> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if !scene.read_lines(queue, "offers")?.is_empty() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("no worker sends a request".to_owned())
}
