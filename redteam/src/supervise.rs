//! Starts a process for each case, enforces its time limit, and reads its ending.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::catalogue::Case;
use crate::guard;
use crate::observed::Ending;
use crate::scene::{self, marker_of};
use crate::setup::Setup;

/// The time limit of a case that does not set one.
const USUAL: Duration = Duration::from_mins(2);
/// The time beyond a case's own limit. It lets the case's assert, and not the harness, report the violation.
const BEYOND: Duration = Duration::from_secs(45);

/// The folders, the program and the secret for running cases.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) folder: PathBuf,
    pub(crate) template: PathBuf,
    pub(crate) program: Option<PathBuf>,
    pub(crate) secret: String,
}

/// One process of the harness.
#[derive(Debug)]
pub(crate) struct Job {
    /// The name of its folder.
    pub(crate) name: String,
    /// The arguments of the process.
    pub(crate) words: Vec<OsString>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) limit: Duration,
}

impl Job {
    /// Creates the job for a case of a catalogue. `catalogue` is the catalogue's number in this run: the folder of a
    /// failed case is kept, so a case of another catalogue must not have the same one.
    pub(crate) fn for_case(
        (catalogue, file): (usize, &Path),
        setups: &Map<String, Value>,
        index: usize,
        case: &Case,
    ) -> Self {
        // A setup that cannot be read is reported by the case's own process.
        let setup = Setup::read(setups, &case.setup, str::to_owned).unwrap_or_default();
        Self {
            name: format!("case-{catalogue}-{index}"),
            words: vec!["case".into(), index.to_string().into(), "--file".into(), file.into()],
            environment: setup.environment,
            limit: limit(case),
        }
    }
}

impl Ground {
    /// Creates a ground below a folder. The folder is removed unless it is kept explicitly.
    pub(crate) fn prepare(scratch: Option<&Path>, program: Option<&Path>) -> anyhow::Result<(Self, TempDir)> {
        let base = scratch.map_or_else(std::env::temp_dir, Path::to_owned);
        fs::create_dir_all(&base)?;
        let folder = tempfile::Builder::new().prefix("redteam-").tempdir_in(base.canonicalize()?)?;
        let ground = Self {
            template: scene::template(folder.path())?,
            folder: folder.path().to_owned(),
            program: program.map(Path::canonicalize).transpose().context("the program is not there")?,
            secret: secret()?,
        };
        Ok((ground, folder))
    }

    /// Runs a job in a process and a folder of its own.
    pub(crate) fn perform(&self, job: &Job) -> Ending {
        self.attempt(job).unwrap_or_else(|error| fail_case(format!("{error:#}")))
    }

    fn attempt(&self, job: &Job) -> anyhow::Result<Ending> {
        let folder = self.folder.join(&job.name);
        // A file of another case, such as its socket, would fail this one.
        fs::create_dir(&folder).context("the case's folder cannot be made")?;
        let mut child = self.command(job, &folder)?.spawn()?;
        let is_over = wait(&mut child, job.limit);
        end_group(&child);
        let status = child.wait()?;
        guard::leave(child.id());
        let verdict = fs::read_to_string(folder.join("ending.json"));
        let ending = match (is_over, verdict) {
            (true, Ok(text)) => serde_json::from_str(&text).context("the case's ending cannot be read")?,
            (false, _) => fail_case(format!("it was stopped after {} s", job.limit.as_secs())),
            (true, Err(_)) => fail_case(format!("its process ended with {status}: {}", last_words(&folder))),
        };
        // Keep the folder of a failed case for inspection.
        if !matches!(ending, Ending::Failed { .. }) {
            drop(fs::remove_dir_all(&folder));
        }
        Ok(ending)
    }

    fn command(&self, job: &Job, folder: &Path) -> anyhow::Result<Command> {
        let log = File::create(folder.join("log"))?;
        let home = folder.join("home");
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(&job.words)
            .arg("--scratch")
            .arg(folder)
            .arg("--template")
            .arg(&self.template)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .env("WINDLASS_STATE_DIR", home.join(".local/state/windlass"))
            .env("HOME", home)
            // Set secrets in the environment like a host has them, under common names and under names that do
            // not indicate a secret.
            .envs(["OPENAI_API_KEY", "GITHUB_TOKEN", "PLAIN_WORDS"].map(|name| (name, &self.secret)))
            .envs(["ANTHROPIC_API_KEY", "OTHER_WORDS"].map(|name| (name, marker_of(&self.secret))))
            .envs(&job.environment)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0);
        if let Some(program) = &self.program {
            command.arg("--program").arg(program);
        }
        Ok(command)
    }
}

/// Generates a new secret for each run, so that its value cannot be known in advance.
fn secret() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok().context("randomness is missing")?;
    Ok(format!("fake-{:032x}", u128::from_be_bytes(bytes)))
}

fn fail_case(why: String) -> Ending {
    Ending::Failed { observed: "nothing".to_owned(), why: vec![why] }
}

fn limit(case: &Case) -> Duration {
    let own = case.asserts.get("wall_s_max").and_then(Value::as_u64);
    let rounds = case.asserts.contains_key("iterations");
    own.map_or(USUAL, |seconds| Duration::from_secs(seconds).saturating_add(BEYOND))
        .saturating_mul(if rounds { 5 } else { 1 })
}

/// Returns true if the process ended in time.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < limit {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Kills the rest of the process group of a child. If the group has ended, the error is ignored.
pub(crate) fn end_group(child: &Child) {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        let _ = kill_process_group(id, Signal::KILL);
    }
}

fn last_words(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let words = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
    windlass_hitl::display_safe(&words.chars().take(200).collect::<String>())
}
