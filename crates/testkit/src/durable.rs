//! A conformance suite for durable drivers of the turn machine, such as a process with a journal on disk or a
//! workflow engine with workers. It is written over a [`Harness`], which each driver implements (DESIGN
//! "Where it runs").

mod job;
mod kit;
mod machine_harness;

use std::collections::BTreeMap;

use windlass_protocol::ResultStatus;

pub use job::{ASK, Job, KEEP, LOOK, MARK};
pub use kit::{ConformanceReport, check};
pub use machine_harness::MachineHarness;

/// The result of one process's part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "done, waiting or dead")]
pub enum EndOfPart {
    /// The run has ended.
    Done,
    /// The run is suspended until these calls are answered, and only its record remains.
    Waits(Vec<String>),
    /// The process died at the requested point.
    Died,
}

/// The observable state of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the findings of a harness")]
pub struct LeftState {
    /// Number of records that the journal acknowledged.
    pub acknowledged: u64,
    /// Number of records that the journal contains.
    pub records: u64,
    /// The recorded result status of each call.
    pub statuses: BTreeMap<String, ResultStatus>,
    /// The number of externally visible effects of each call: marks made, values stored. Read-only calls have
    /// none.
    pub seen: BTreeMap<String, u32>,
    /// Descriptions of requests that every provider would refuse, because calls and results are not paired.
    pub unpaired: Vec<String>,
    /// The final text of the run.
    pub text: Option<String>,
}

/// A driver of the turn machine that can be killed. Each `start` begins a new run in a new location.
///
/// The driver's model must answer with [`Job::answer`], and its tools must have the names and the classes of
/// this module's constants.
pub trait Harness {
    /// Returns the points at which a process of this driver can be killed.
    fn points(&self) -> Vec<String>;

    /// Sets the point at which the next process dies, the one that `start` or `restart` begins. `None` lets
    /// it live.
    fn kill(&mut self, at: Option<&str>);

    /// Starts the job and runs it until it ends, waits or dies.
    ///
    /// # Errors
    /// A description, if the process ended in another way.
    fn start(&mut self, job: &Job) -> Result<EndOfPart, String>;

    /// Resumes the run in another process.
    ///
    /// # Errors
    /// A description, if the run cannot be resumed.
    fn restart(&mut self) -> Result<EndOfPart, String>;

    /// Answers the approval request of a call while no process is running.
    ///
    /// # Errors
    /// A description, if the request does not exist.
    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String>;

    /// Returns the observable state of the run.
    ///
    /// # Errors
    /// A description, if the state cannot be read.
    fn result(&self) -> Result<LeftState, String>;
}
