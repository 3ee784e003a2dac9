//! What has to hold of whatever drives the turn machine durably: a process with a journal on a disk, or an engine with
//! workers. Written once, over a [`Harness`]; each driver brings its own (DESIGN "Where it runs").

mod job;
mod kit;
mod machine_harness;

use std::collections::BTreeMap;

use windlass_protocol::ResultStatus;

pub use job::{ASK, Job, KEEP, LOOK, MARK};
pub use kit::{Checked, check};
pub use machine_harness::MachineHarness;

/// How one process's part of a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "done, waiting or dead")]
pub enum Ended {
    /// The run is done.
    Done,
    /// It waits for answers to these calls, and nothing is left of it but its record.
    Waits(Vec<String>),
    /// It died where it was told to.
    Died,
}

/// What is left of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "what a harness has to find out")]
pub struct Left {
    /// How many records were said to be kept, and how many are there.
    pub acknowledged: u64,
    /// How many are there.
    pub records: u64,
    /// The status of each call's result, as the record has it.
    pub statuses: BTreeMap<String, ResultStatus>,
    /// How often each call's work was seen from outside: marks made, values kept. What only looks leaves nothing.
    pub seen: BTreeMap<String, u32>,
    /// Requests that no provider would take, in words.
    pub unpaired: Vec<String>,
    /// What the run says at its end.
    pub text: Option<String>,
}

/// A driver of the turn machine that can be killed. Each `start` is a new run in a new place.
///
/// Its model is [`Job::answer`], and its tools have the names and the classes of this module's constants.
pub trait Harness {
    /// The moments at which a process of this driver can be made to die.
    fn points(&self) -> Vec<String>;

    /// Says when the next process dies: the one that `start` or `restart` begins. Nothing: it does not.
    fn kill(&mut self, at: Option<&str>);

    /// Begins the job and lets it run until it ends, waits or dies.
    ///
    /// # Errors
    /// If it ended in another way, in words.
    fn start(&mut self, job: &Job) -> Result<Ended, String>;

    /// Lets another process go on with it.
    ///
    /// # Errors
    /// If it does not, in words.
    fn restart(&mut self) -> Result<Ended, String>;

    /// Answers the question about a call, while no process runs.
    ///
    /// # Errors
    /// If there is no such question, in words.
    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String>;

    /// What is left of the run.
    ///
    /// # Errors
    /// If it cannot be read, in words.
    fn result(&self) -> Result<Left, String>;
}
