//! The conformance kit accepts a driver without IO, and rejects drivers that lose or repeat something.

use windlass_testkit::durable::{EndOfPart, Harness, Job, LeftState, MachineHarness, check};

// R5, R6, DESIGN "Where it runs": the driver is killed at every record and step, and again during the resume.
#[test]
fn the_machine_with_a_list_for_a_journal_conforms() {
    let mut harness = MachineHarness::default();
    let points = harness.points().len();
    let checked = check(&mut harness);
    assert_eq!(checked.problems, Vec::<String>::new());
    assert!(checked.runs as usize >= points * 4, "{} runs", checked.runs);
    assert!(checked.kills as usize >= points * 3, "{} kills at {points} points", checked.kills);
}

/// A driver with a fault.
struct Faulty {
    inner: MachineHarness,
    spoil: fn(&mut LeftState),
}

impl Harness for Faulty {
    fn points(&self) -> Vec<String> {
        self.inner.points().into_iter().take(2).collect()
    }
    fn kill(&mut self, at: Option<&str>) {
        self.inner.kill(at);
    }
    fn start(&mut self, job: &Job) -> Result<EndOfPart, String> {
        self.inner.start(job)
    }
    fn restart(&mut self) -> Result<EndOfPart, String> {
        self.inner.restart()
    }
    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String> {
        self.inner.approve(call, yes)
    }
    fn result(&self) -> Result<LeftState, String> {
        let mut left = self.inner.result()?;
        (self.spoil)(&mut left);
        Ok(left)
    }
}

#[track_caller]
fn check_found(says: &str, spoil: fn(&mut LeftState)) {
    let checked = check(&mut Faulty { inner: MachineHarness::default(), spoil });
    let is_found = checked.problems.iter().any(|problem| problem.contains(says));
    assert!(is_found, "{says:?} is not among {:?}", checked.problems);
}

// A kit that finds nothing proves nothing.
#[test]
fn a_driver_that_loses_or_doubles_is_found() {
    check_found("records were acknowledged", |left| left.records = left.records.saturating_sub(1));
    check_found("mark-1 was made 2 times", |left| {
        left.seen.entry("mark-1".into()).and_modify(|seen| *seen = 2);
    });
    check_found("keep-2 was made 0 times", |left| {
        left.seen.remove("keep-2");
    });
    check_found("look-3 has no result", |left| {
        left.statuses.remove("look-3");
    });
    check_found("its last text is None", |left| left.text = None);
    check_found("a request cannot be sent", |left| left.unpaired.push("cut".into()));
    check_found("was made before its approval", |left| {
        left.seen.insert("ask-2".into(), 1);
    });
}
