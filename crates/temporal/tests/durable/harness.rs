//! The conformance kit over worker processes and a server.

use std::collections::BTreeMap;

use windlass_hitl::ApprovalDecision;
use windlass_loop::{Entry, Outcome};
use windlass_temporal::{Engine, RunHandle};
use windlass_testkit::durable::{ConformanceReport, EndOfPart, Harness, Job, LeftState, check};

use crate::scene::{PartEnd, Scene};

/// The points at which a worker dies: around a request, during a decision, around a call of each class, and
/// at fixed times after its start.
const POINTS: [&str; 13] = [
    "before:send:1",
    "after:send:2",
    "decides:mark:1",
    "decides:ask:1",
    "begins:look:1",
    "begins:keep:1",
    "ends:keep:1",
    "begins:mark:1",
    "ends:mark:1",
    "begins:ask:1",
    "ends:ask:1",
    "after:60",
    "after:250",
];

/// The number of points of one server. Their runs spend most of their time waiting for timeouts, so several servers
/// run beside each other.
const POINTS_PER_SERVER: usize = 5;

pub(crate) fn the_conformance_kit_holds(scene: &Scene) -> Result<String, String> {
    let program = &scene.server.borrow().program().to_owned();
    let (mut runs, mut kills, mut problems) = (0, 0, Vec::new());
    std::thread::scope(|scope| {
        let parts: Vec<_> = POINTS
            .chunks(POINTS_PER_SERVER)
            .map(|points| scope.spawn(move || Scene::new(program).map(|scene| check_points(&scene, points))))
            .collect();
        for part in parts {
            match part.join() {
                Ok(Ok(checked)) => {
                    (runs, kills) = (runs + checked.runs, kills + checked.kills);
                    problems.extend(checked.problems);
                }
                Ok(Err(error)) => problems.push(error),
                Err(_) => problems.push("a part of the kit panicked".to_owned()),
            }
        }
    });
    if problems.is_empty() {
        return Ok(format!("{runs} runs, {kills} kills, {} points", POINTS.len()));
    }
    Err(problems.join("\n"))
}

fn check_points(scene: &Scene, points: &'static [&'static str]) -> ConformanceReport {
    check(&mut Workers {
        scene,
        points,
        number: 0,
        job: Job::with_each_class(),
        point: None,
        run: None,
        questions: BTreeMap::new(),
        known: Vec::new(),
        completed: 0,
    })
}

struct Workers<'a> {
    scene: &'a Scene,
    points: &'static [&'static str],
    number: u32,
    job: Job,
    point: Option<String>,
    run: Option<(Engine, RunHandle)>,
    /// The ids of open approval requests, by call.
    questions: BTreeMap<String, String>,
    /// The record at the end of the last part in which a worker lived.
    known: Vec<Entry>,
    /// The number of ended steps in the server's history that was seen last.
    completed: u64,
}

impl Harness for Workers<'_> {
    fn points(&self) -> Vec<String> {
        self.points.iter().map(|point| (*point).to_owned()).collect()
    }

    fn kill(&mut self, at: Option<&str>) {
        self.point = at.map(str::to_owned);
    }

    fn start(&mut self, job: &Job) -> Result<EndOfPart, String> {
        self.number += 1;
        self.job = job.clone();
        (self.known, self.completed) = (Vec::new(), 0);
        self.questions.clear();
        let name = self.name();
        let engine = self.scene.engine(&name, false)?;
        let run = self.scene.start(&engine, &name, 0)?;
        self.run = Some((engine, run));
        self.restart()
    }

    fn restart(&mut self) -> Result<EndOfPart, String> {
        let point = self.point.take();
        let name = self.name();
        let run = self.handle()?;
        let mut worker = self.scene.worker(&name, &self.job, point.as_deref(), false)?;
        let end = self.scene.wait(&run, &mut worker)?;
        if !matches!(end, PartEnd::Died) {
            let record = self.scene.runtime.block_on(run.record(0));
            self.known = record.map_err(|error| error.to_string())?;
        }
        Ok(match end {
            PartEnd::Done(_) => EndOfPart::Done,
            PartEnd::Died => EndOfPart::Died,
            PartEnd::Waits(waits) => {
                let questions = waits.approvals.iter();
                self.questions = questions
                    .map(|request| (request.call.id.to_string(), request.request_id.clone()))
                    .collect();
                EndOfPart::Waits(waits.approvals.iter().map(|request| request.call.id.to_string()).collect())
            }
        })
    }

    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String> {
        let id = self.questions.get(call).ok_or_else(|| format!("the question about {call} is missing"))?;
        let decision = if yes { ApprovalDecision::approve(id) } else { ApprovalDecision::deny(id, None) };
        let run = self.handle()?;
        self.scene.runtime.block_on(run.answer(decision)).map_err(|error| error.to_string())
    }

    fn result(&self) -> Result<LeftState, String> {
        let statuses = self.known.iter().filter_map(|entry| match entry {
            Entry::Result { result } => Some((result.call.to_string(), result.status)),
            _ => None,
        });
        let text = self.known.iter().rev().find_map(|entry| match entry {
            Entry::Finished { outcome: Outcome::Completed { text } } => Some(text.clone()),
            _ => None,
        });
        let folder = self.scene.folder(&self.name())?;
        let lines = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let mut seen = BTreeMap::new();
        for mark in lines("marks").lines() {
            let count: &mut u32 = seen.entry(mark.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
        Ok(LeftState {
            acknowledged: self.known.len() as u64,
            records: self.known.len() as u64,
            statuses: statuses.collect(),
            seen,
            unpaired: lines("unpaired").lines().map(str::to_owned).collect(),
            text,
        })
    }
}

impl Workers<'_> {
    fn name(&self) -> String {
        format!("kit-{}", self.number)
    }

    fn handle(&self) -> Result<RunHandle, String> {
        self.run.as_ref().map(|(_, run)| run.clone()).ok_or_else(|| "no run has started".to_owned())
    }
}
