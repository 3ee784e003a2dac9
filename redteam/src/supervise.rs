//! Starts a process for each case, keeps its time, and hears how it ended.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::catalogue::{Case, Catalogue};
use crate::guard;
use crate::observed::Ending;
use crate::scene::marker_of;
use crate::setup::Setup;

/// What a case may take if it names no limit itself.
const USUAL: Duration = Duration::from_mins(2);
/// What a case may take beyond its own limit, so that its assert and not the harness says what is wrong.
const BEYOND: Duration = Duration::from_secs(45);

/// Where cases are run, and with what.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) file: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) template: PathBuf,
    pub(crate) program: Option<PathBuf>,
    pub(crate) secret: String,
}

impl Supervisor {
    /// Runs one case in a process of its own.
    pub(crate) fn run(&self, catalogue: &Catalogue, index: usize, case: &Case) -> Ending {
        match self.attempt(catalogue, index, case) {
            Ok(ending) => ending,
            Err(error) => failed(format!("{error:#}")),
        }
    }

    fn attempt(&self, catalogue: &Catalogue, index: usize, case: &Case) -> anyhow::Result<Ending> {
        let folder = self.folder.join(format!("case-{index}"));
        fs::create_dir_all(&folder).context("the case's folder cannot be made")?;
        let mut child = self.command(catalogue, index, case, &folder)?.spawn()?;
        let limit = limit(case);
        let is_over = wait(&mut child, limit);
        end_group(&child);
        let status = child.wait()?;
        guard::leave(child.id());
        let verdict = fs::read_to_string(folder.join("ending.json"));
        let ending = match (is_over, verdict) {
            (true, Ok(text)) => serde_json::from_str(&text).context("the case's ending cannot be read")?,
            (false, _) => failed(format!("it was stopped after {} s", limit.as_secs())),
            (true, Err(_)) => failed(format!("its process ended with {status}: {}", last_words(&folder))),
        };
        // A case that went wrong leaves its place to be looked at.
        if !matches!(ending, Ending::Failed { .. }) {
            drop(fs::remove_dir_all(&folder));
        }
        Ok(ending)
    }

    fn command(
        &self,
        catalogue: &Catalogue,
        index: usize,
        case: &Case,
        folder: &Path,
    ) -> anyhow::Result<Command> {
        let log = File::create(folder.join("log"))?;
        let home = folder.join("home");
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["case", &index.to_string(), "--file"])
            .arg(&self.file)
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
            // What a host has in its environment, under the usual names and under some that say nothing.
            .envs(["OPENAI_API_KEY", "GITHUB_TOKEN", "PLAIN_WORDS"].map(|name| (name, &self.secret)))
            .envs(["ANTHROPIC_API_KEY", "OTHER_WORDS"].map(|name| (name, marker_of(&self.secret))))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0);
        if let Some(program) = &self.program {
            command.arg("--program").arg(program);
        }
        // A setup that cannot be read says so in the case's own process.
        if let Ok(setup) = Setup::read(&catalogue.setups, &case.setup, str::to_owned) {
            command.envs(setup.environment);
        }
        Ok(command)
    }
}

fn failed(why: String) -> Ending {
    Ending::Failed { observed: "nothing".to_owned(), why: vec![why] }
}

fn limit(case: &Case) -> Duration {
    let own = case.asserts.get("wall_s_max").and_then(serde_json::Value::as_u64);
    let rounds = case.asserts.contains_key("iterations");
    own.map_or(USUAL, |seconds| Duration::from_secs(seconds).saturating_add(BEYOND))
        .saturating_mul(if rounds { 5 } else { 1 })
}

/// Whether the process ended in time.
fn wait(child: &mut Child, limit: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < limit {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// What is left of the case's own group; a group that has ended is not there.
fn end_group(child: &Child) {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        let _ = kill_process_group(id, Signal::KILL);
    }
}

fn last_words(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let words = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    windlass_hitl::display_safe(&words.chars().take(200).collect::<String>())
}
