//! Tests of single runs.

use std::time::Duration;

use windlass_loop::{Event, Outcome, StopCause};
use windlass_testkit::durable::Job;

use crate::parts::STEPS;
use crate::scene::{PartEnd, Scene};

pub(crate) fn a_run_ends_with_the_answer_of_the_model(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let engine = scene.engine("plain", false)?;
    let run = scene.start(&engine, "plain", 0)?;
    let mut worker = scene.worker("plain", &job, None, false)?;
    let PartEnd::Done(report) = scene.wait(&run, &mut worker)? else {
        return Err("the run does not end".to_owned());
    };
    if report.outcome != (Outcome::Completed { text: job.text() }) {
        return Err(format!("{report:?}"));
    }
    let page = scene.runtime.block_on(run.events(0)).map_err(|error| error.to_string())?;
    let ends = page.events.iter().filter(|event| matches!(event, Event::Finished { .. })).count();
    if page.first != 0 || ends != 1 {
        return Err(format!("{page:?}"));
    }
    // A worker reports each step once.
    let steps = scene.read_lines("plain", STEPS)?;
    let count = |line: &str| steps.iter().filter(|step| *step == line).count();
    let count_events = |name: fn(&Event) -> bool| page.events.iter().filter(|event| name(event)).count();
    let turns = count_events(|event| matches!(event, Event::TurnStarted { .. }));
    let calls = count_events(|event| matches!(event, Event::CallEnded { .. }));
    let reported = [count("begin ok"), count("model ok"), count("tool ok")];
    if reported != [1, turns, calls] || turns == 0 || calls == 0 {
        return Err(format!("{turns} turns and {calls} calls, but the worker reported {steps:?}"));
    }
    Ok(format!("{} events, {} steps", page.events.len(), steps.len()))
}

pub(crate) fn a_killed_worker_does_not_change_the_transcript(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    // At none of these points a call runs that must not be repeated.
    let points = ["before:send:2", "after:send:1", "after:send:3", "decides:look:1", "decides:mark:1"];
    for (number, point) in points.iter().enumerate() {
        let name = format!("killed-{number}");
        let engine = scene.engine(&name, false)?;
        let run = scene.start(&engine, &name, 0)?;
        let mut worker = scene.worker(&name, &job, Some(point), false)?;
        let PartEnd::Died = scene.wait(&run, &mut worker)? else {
            return Err(format!("{point}: the worker is not killed"));
        };
        let mut worker = scene.worker(&name, &job, None, false)?;
        let PartEnd::Done(_) = scene.wait(&run, &mut worker)? else {
            return Err(format!("{point}: the run does not end"));
        };
        let transcript = scene.transcript(&run)?;
        if transcript != expected {
            return Err(format!("{point}: {transcript}\n\nexpected: {expected}"));
        }
    }
    Ok(format!("{} kills", points.len()))
}

pub(crate) fn a_killed_server_does_not_change_the_transcript(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    let counts = [1, 15, 30];
    for count in counts {
        let name = format!("server-{count}");
        let engine = scene.engine(&name, false)?;
        let run = scene.start(&engine, &name, 0)?;
        let mut worker = scene.worker(&name, &job, None, false)?;
        scene.wait_for_events(&run, count)?;
        scene.server.borrow_mut().restart(Duration::from_millis(300))?;
        // The client's long poll for the result ended with the server.
        let end = scene.wait(&run, &mut worker).or_else(|_| scene.wait(&run, &mut worker))?;
        let PartEnd::Done(_) = end else { return Err(format!("after {count} events the worker ended")) };
        let transcript = scene.transcript(&run)?;
        if transcript != expected {
            return Err(format!("after {count} events: {transcript}\n\nexpected: {expected}"));
        }
    }
    Ok(format!("{} kills", counts.len()))
}

pub(crate) fn a_run_continues_as_new_with_the_same_transcript(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let expected = scene.undisturbed_transcript(&job)?;
    let engine = scene.engine("renewed", false)?;
    let run = scene.start(&engine, "renewed", 1)?;
    let mut worker = scene.worker("renewed", &job, None, false)?;
    let PartEnd::Done(_) = scene.wait(&run, &mut worker)? else {
        return Err("the run does not end".to_owned());
    };
    let record = scene.runtime.block_on(run.record(0)).map_err(|error| error.to_string())?;
    let renewed = record.iter().filter(|entry| matches!(entry, windlass_loop::Entry::Resumed { .. })).count();
    if renewed == 0 {
        return Err("the run did not continue as new".to_owned());
    }
    let transcript = scene.transcript(&run)?;
    if transcript == expected { Ok(format!("{renewed} times")) } else { Err(transcript) }
}

pub(crate) fn a_stop_ends_a_waiting_run(scene: &Scene) -> Result<String, String> {
    let job = Job::with_questions();
    let engine = scene.engine("stopped", false)?;
    let run = scene.start(&engine, "stopped", 0)?;
    let mut worker = scene.worker("stopped", &job, None, false)?;
    let PartEnd::Waits(waits) = scene.wait(&run, &mut worker)? else {
        return Err("the run does not wait".to_owned());
    };
    let refuse = |error: windlass_temporal::EngineError| error.to_string();
    scene.runtime.block_on(run.stop()).map_err(refuse)?;
    let report = scene.runtime.block_on(run.report()).map_err(refuse)?;
    if report.outcome != (Outcome::Stopped { cause: StopCause::Cancelled }) {
        return Err(format!("{report:?}"));
    }
    Ok(format!("{} questions", waits.approvals.len()))
}

pub(crate) fn the_server_holds_no_readable_text_with_a_cipher(scene: &Scene) -> Result<String, String> {
    let job = Job::with_each_class();
    let mut sizes = Vec::new();
    for is_encrypted in [false, true] {
        let name = if is_encrypted { "sealed" } else { "open" };
        let engine = scene.engine(name, is_encrypted)?;
        let run = scene.start(&engine, name, 0)?;
        let mut worker = scene.worker(name, &job, None, is_encrypted)?;
        let PartEnd::Done(_) = scene.wait(&run, &mut worker)? else {
            return Err(format!("{name}: the run does not end"));
        };
        worker.kill();
        let content = scene.folder(name)?.join("content");
        let stored = read_all(&content)?;
        let is_readable = contains(&stored, b"the job");
        if is_readable == is_encrypted {
            return Err(format!("{name}: readable in the content store: {is_readable}"));
        }
        sizes.push(stored.len());
        if is_encrypted {
            let database = read_database(scene.server.borrow().database())?;
            // The database contains the final text of the unencrypted run, and not that of the encrypted run.
            let needle = b"windlass-aes-256-gcm";
            if !contains(&database, needle) {
                return Err("the history has no encrypted payload".to_owned());
            }
        }
    }
    Ok(format!("{sizes:?} bytes stored"))
}

fn read_all(folder: &std::path::Path) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            all.extend(read_all(&path)?);
        } else {
            all.extend(std::fs::read(&path).map_err(|error| error.to_string())?);
        }
    }
    Ok(all)
}

/// Returns the bytes of the database and of its log.
fn read_database(file: &std::path::Path) -> Result<Vec<u8>, String> {
    let mut bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    bytes.extend(std::fs::read(file.with_extension("db-wal")).unwrap_or_default());
    Ok(bytes)
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
