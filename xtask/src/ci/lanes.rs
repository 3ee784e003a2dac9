//! Performs the steps: most of them one after the other, and some beside them, which use the cores while a step
//! waits: that of Temporal used 238 of its 636 processor seconds on two cores.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use xshell::Shell;

use super::summary::FinishedStep;
use super::{Outcome, Setting, Step, StepStatus, disk};
use crate::capture;

/// The thread that performs a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    Main,
    /// Begins when the main lane reaches the step, after the earlier steps of this lane. Its output is printed at
    /// its end.
    Beside,
}

/// Performs all steps and returns them in their order.
pub(super) fn perform_all(steps: &[&Step], setting: &Setting<'_>) -> Vec<FinishedStep> {
    let finished = Mutex::new(Vec::new());
    let keep = |index, step: FinishedStep, output: &[String]| {
        let head = format!("[{}/{}]", usize::saturating_add(index, 1), steps.len());
        // One call, so that the lines of two lanes do not mix.
        let row = format!("{head} {}", step.row());
        let lines: Vec<&str> = output.iter().map(String::as_str).chain([row.as_str()]).collect();
        println!("{}", lines.join("\n"));
        finished.lock().expect("no lane panics").push((index, step));
    };
    std::thread::scope(|scope| {
        let (to_beside, waiting) = std::sync::mpsc::channel::<(usize, &Step)>();
        let (project, started, place) = (setting.project, setting.started, setting.sh.current_dir());
        scope.spawn(move || {
            // A shell belongs to one thread.
            let sh = Shell::new().expect("the current folder exists");
            sh.change_dir(place);
            let setting = Setting { sh: &sh, project, started };
            for (index, step) in waiting {
                let (done, output) = capture::collect(|| perform(step, &setting));
                keep(index, done, &output);
            }
        });
        for (index, step) in steps.iter().enumerate() {
            let head = format!("[{}/{}] {}", index.saturating_add(1), steps.len(), step.name);
            if step.lane == Lane::Beside {
                println!("\n{head}: runs beside the next steps");
                to_beside.send((index, step)).expect("the lane receives until it ends");
            } else {
                println!("\n{head}");
                keep(index, perform(step, setting), &[]);
            }
        }
    });
    let mut finished = finished.into_inner().expect("no lane panics");
    finished.sort_by_key(|(index, _)| *index);
    finished.into_iter().map(|(_, step)| step).collect()
}

/// Performs a step. An error counts as a failure, and the other steps still run.
fn perform(step: &Step, setting: &Setting<'_>) -> FinishedStep {
    let (begun, before) = (Instant::now(), processor_time());
    let outcome = (step.run)(setting).unwrap_or_else(|error| {
        capture::say(format_args!("error: {error:#}"));
        Outcome::new(StepStatus::Failed, format!("{error:#}").lines().next().unwrap_or_default())
    });
    let worked = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    let free_gigabytes = disk::free_gigabytes(setting.sh);
    FinishedStep { name: step.name, outcome, took: begun.elapsed(), worked, free_gigabytes }
}

/// Returns the processor time of all ended children, where the system counts it. With two lanes, that of one
/// contains the time of the other lane.
fn processor_time() -> Option<Duration> {
    /// Ticks of these fields in a second, on every Linux system.
    const TICKS: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses that may contain spaces. Fields 16 and 17 count the children.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut children = fields.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
    let (user, system) = (children.next()?.ok()?, children.next()?.ok()?);
    Some(Duration::from_millis(user.saturating_add(system).saturating_mul(1_000 / TICKS)))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{LazyLock, Mutex, PoisonError};

    use anyhow::Result;
    use xshell::{Shell, cmd};

    use super::{Duration, Instant, Lane, Outcome, Setting, Step, StepStatus, perform_all};
    use crate::capture;
    use crate::ci::Pace;
    use crate::project::Project;

    static SIGNAL: LazyLock<(Sender<()>, Mutex<Receiver<()>>)> = LazyLock::new(|| {
        let (sender, receiver) = channel();
        (sender, Mutex::new(receiver))
    });

    /// Ends when the step beside it sends the signal.
    fn wait(_: &Setting<'_>) -> Result<Outcome> {
        let receiver = SIGNAL.1.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(Duration::from_mins(1))?;
        Ok(Outcome::new(StepStatus::Passed, "signalled"))
    }

    fn signal(setting: &Setting<'_>) -> Result<Outcome> {
        let is_good = capture::pass_through(cmd!(setting.sh, "cargo --version"))?;
        SIGNAL.0.send(())?;
        Ok(Outcome::from_success(is_good))
    }

    fn fail(_: &Setting<'_>) -> Result<Outcome> {
        anyhow::bail!("broken")
    }

    #[test]
    fn a_concurrent_step_keeps_its_row() {
        let step = |name, lane, run| Step { name, pace: Pace::Quick, lane, run };
        let steps = [
            step("signal", Lane::Beside, signal),
            step("wait", Lane::Main, wait),
            step("fail", Lane::Beside, fail),
        ];
        let sh = Shell::new().unwrap();
        let project = Project::load(&sh).unwrap();
        let setting = Setting { sh: &sh, project: &project, started: Instant::now() };
        let finished = perform_all(&steps.iter().collect::<Vec<_>>(), &setting);
        let rows: Vec<_> = finished.iter().map(|step| (step.name, step.outcome.status)).collect();
        let expected =
            [("signal", StepStatus::Passed), ("wait", StepStatus::Passed), ("fail", StepStatus::Failed)];
        assert_eq!(rows, expected);
        assert_eq!(finished[2].outcome.note, "broken");
    }

    #[test]
    fn a_thread_collects_both_streams_of_a_command() {
        let sh = Shell::new().unwrap();
        let (done, lines) = capture::collect(|| {
            capture::say("first");
            capture::pass_through(cmd!(sh, "cargo no-such-command"))
        });
        assert!(!done.unwrap());
        assert_eq!(lines[..2], ["first", "$ cargo no-such-command"]);
        assert!(lines.iter().any(|line| line.contains("no such command")), "{lines:?}");
    }
}
