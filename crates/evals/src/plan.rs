//! The settings of a suite.

use std::path::PathBuf;
use std::time::Duration;

use windlass_agent::Agent;
use windlass_cassette::CassetteOptions;

use crate::{BoxError, Case, Trial};

/// Builds the agent of a trial.
pub(crate) type Factory = Box<dyn Fn(&Trial) -> Result<Agent, BoxError> + Send + Sync>;

/// The settings of a suite.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
    pub(crate) models: Vec<(String, Factory)>,
    pub(crate) repetitions: u32,
    pub(crate) concurrency: usize,
    pub(crate) seed: u64,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) budget: Option<u64>,
    pub(crate) case_time_limit: Option<Duration>,
    pub(crate) case_budget: Option<u64>,
    pub(crate) results: Option<PathBuf>,
    pub(crate) folders: Option<PathBuf>,
    pub(crate) cassettes: Option<(PathBuf, CassetteOptions)>,
}
