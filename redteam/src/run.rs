//! A whole run: reads the catalogues, distributes the cases and prints the report.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::catalogue::{Case, Catalogue, Mode, Unreadable};
use crate::faults;
use crate::observed::Ending;
use crate::report::{self, Line};
use crate::supervise::{Ground, Job};

/// The catalogues to run, and the options of the run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// A catalogue of attacks. Can be repeated.
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A catalogue of faults.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Run only cases with these ids or id prefixes.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    only: Vec<String>,
    /// Run only cases of this mode.
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Print one line of JSON for each case.
    #[arg(long)]
    json: bool,
    /// The built `windlass` program, whose decisions and prompts are also checked.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The folder for the temporary folders of the cases.
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// The number of cases that run concurrently.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

impl RunOptions {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(!self.files.is_empty() || self.faults.is_some(), "name a catalogue: --file or --faults");
        let (ground, folder) = Ground::prepare(self.scratch.as_deref(), self.program.as_deref())?;
        let mut lines = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let file = file.canonicalize().with_context(|| format!("the catalogue {}", file.display()))?;
            lines.extend(self.deal((number, &file), &Catalogue::read(&file)?, &ground));
        }
        if let Some(file) = &self.faults {
            lines.extend(faults::run(file, &self.only, &ground)?);
        }
        ensure!(!lines.is_empty(), "no case has such an id");
        let sums = report::print(&lines, self.json);
        if sums.failed > 0 {
            eprintln!("the places of failed cases are kept in {}", folder.keep().display());
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Runs the cases with several workers. The report keeps the catalogue's order.
    fn deal(&self, file: (usize, &Path), catalogue: &Catalogue, ground: &Ground) -> Vec<Line> {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let jobs = self.jobs.unwrap_or(processors).max(1);
        let next = AtomicUsize::new(0);
        let lines = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::SeqCst);
                        let Some(case) = catalogue.cases.get(index) else { break };
                        let line = self.line(case, |case| {
                            ground.perform(&Job::for_case(file, &catalogue.setups, index, case))
                        });
                        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                        lines.extend(line.map(|line| (index, line)));
                    }
                });
            }
        });
        let mut lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        lines.sort_by_key(|(index, _)| *index);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn line(&self, case: &Result<Case, Unreadable>, perform: impl Fn(&Case) -> Ending) -> Option<Line> {
        let id = case.as_ref().map_or_else(|unreadable| unreadable.id.as_str(), |case| case.id.as_str());
        let is_chosen = self.only.is_empty() || self.only.iter().any(|only| id.starts_with(only.as_str()));
        let is_of_mode = self.mode.is_none_or(|mode| case.as_ref().is_ok_and(|case| case.mode == mode));
        if !is_chosen || !is_of_mode {
            return None;
        }
        let began = Instant::now();
        Some(match case {
            Ok(case) => {
                let ending = perform(case);
                Line::from_case(case, ending, began.elapsed().as_secs_f64())
            }
            Err(unreadable) => Line {
                id: unreadable.id.clone(),
                what: "the case".to_owned(),
                expected: "to be readable".to_owned(),
                ending: Ending::Failed { observed: "nothing".to_owned(), why: vec![unreadable.why.clone()] },
                seconds: 0.0,
            },
        })
    }
}
