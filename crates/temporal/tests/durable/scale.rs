//! Tests of many runs: kills in their middle, the distribution of their times, and the memory of a worker. The sizes are
//! small unless the variable `WINDLASS_SCALE` is set, as `cargo xtask temporal --scale` does.

use std::time::Duration;

use windlass_temporal::StepTimeouts;
use windlass_testkit::durable::Job;
use windlass_testkit::split::SplitMix64;

use crate::fleet::{Fleet, moment};
use crate::scene::{Scene, WorkerKind, WorkerProcess};

/// Largest memory of a worker with suspended runs above its idle memory, in KiB.
const MOST_MEMORY_KIB: u64 = 64 * 1024;
/// The seed of the random moments.
const SEED: u64 = 1;

/// Returns a small number for ordinary tests, and the full one with `--scale`.
fn size(small: usize, full: usize) -> usize {
    if std::env::var_os("WINDLASS_SCALE").is_some() { full } else { small }
}

pub(crate) fn runs_end_as_undisturbed_ones_while_the_server_is_killed(
    scene: &Scene,
) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    // No worker dies, so a report that is late because of the outage must not count as lost.
    let fleet = Fleet::start(scene, "outages", job, size(4, 50), |settings| {
        let mut timeouts = settings.timeouts;
        timeouts.heartbeat = StepTimeouts::default().heartbeat;
        settings.with_timeouts(timeouts)
    })?;
    let _workers = [fleet.start_worker(WorkerKind::new("one"))?, fleet.start_worker(WorkerKind::new("two"))?];
    let outages = size(1, 5);
    let disturb = async {
        let mut random = SplitMix64::new(SEED);
        for _ in 0..outages {
            tokio::time::sleep(moment(&mut random, 300, size(1_000, 4_000) as u64)).await;
            if !fleet.note_disturbance() {
                break;
            }
            scene.server.borrow_mut().restart(moment(&mut random, 100, 1_000))?;
        }
        Ok(())
    };
    let report = fleet.finish(Some(&expected), disturb)?.check_hit()?.check_exact()?;
    Ok(format!("up to {outages} kills of the server, {}", report.describe()))
}

pub(crate) fn runs_end_as_undisturbed_ones_while_workers_are_killed(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    let fleet = Fleet::start(scene, "killed", job, size(4, 50), |settings| settings)?;
    let mut workers =
        [fleet.start_worker(WorkerKind::new("one"))?, fleet.start_worker(WorkerKind::new("two"))?];
    let kills = size(3, 20);
    let disturb = async {
        let mut random = SplitMix64::new(SEED);
        for number in 0..kills {
            tokio::time::sleep(moment(&mut random, 200, size(700, 3_000) as u64)).await;
            if !fleet.note_disturbance() {
                break;
            }
            let Some(worker) = workers.get_mut(number % 2) else { continue };
            *worker = WorkerProcess::replace(worker, || fleet.start_worker(WorkerKind::new("next")))?;
        }
        Ok(())
    };
    let report = fleet.finish(Some(&expected), disturb)?.check_hit()?;
    Ok(format!("up to {kills} kills of workers, {}", report.describe()))
}

pub(crate) fn two_workers_share_runs_and_one_is_killed(scene: &Scene) -> Result<String, String> {
    let (job, count) = (Job::with_each_class(), size(6, 200));
    let mut notes = Vec::new();
    for (queue, is_killed) in [("shared", false), ("left", true)] {
        let fleet = Fleet::start(scene, queue, job.clone(), count, |settings| settings)?;
        let mut first = fleet.start_worker(WorkerKind::new("first"))?;
        let _second = fleet.start_worker(WorkerKind::new("second"))?;
        let disturb = async {
            if is_killed {
                tokio::time::sleep(Duration::from_millis(size(800, 5_000) as u64)).await;
                fleet.note_disturbance();
                first.kill();
            }
            Ok(())
        };
        let report = fleet.finish(None, disturb)?;
        let report = if is_killed { report.check_hit()? } else { report };
        let what = if is_killed { "one killed" } else { "undisturbed" };
        notes.push(format!("{what}: {}", report.describe()));
    }
    Ok(notes.join("; "))
}

pub(crate) fn suspended_runs_take_little_memory_of_a_worker(scene: &Scene) -> Result<String, String> {
    let (job, count) = (Job::with_questions(), size(10, 1_000));
    let warm = Fleet::start(scene, "suspended", job.clone(), 1, |settings| settings)?;
    let worker = warm.start_worker(WorkerKind::new("only"))?;
    warm.wait_until_suspended()?;
    let idle = worker.memory_kib()?;
    let fleet = Fleet::start(scene, "suspended", job, count, |settings| settings)?;
    fleet.wait_until_suspended()?;
    let grown = worker.memory_kib()?.saturating_sub(idle);
    if grown > MOST_MEMORY_KIB {
        return Err(format!("{count} suspended runs take {grown} KiB above {idle} KiB"));
    }
    Ok(format!("{count} suspended runs take {grown} KiB above {idle} KiB"))
}
