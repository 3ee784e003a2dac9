//! Sends the program a signal while a command runs. The command and all its descendants must end with it.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use windlass_mock::{Script, ScriptedProvider};

use super::end_fault;
use crate::observed::{Ending, skip};
use crate::processes;
use crate::scene::Scene;

/// Each signal with its exit code, which a shell also reports for a program that the signal killed.
const SIGNALS: [(&str, Signal, i32); 4] = [
    ("TERM", Signal::TERM, 143),
    ("HUP", Signal::HUP, 129),
    ("INT", Signal::INT, 130),
    ("KILL", Signal::KILL, 137),
];
/// The maximum time for a program to clean up.
const PATIENCE: Duration = Duration::from_secs(6);

pub(super) fn run(scene: &Scene, program: Option<&Path>) -> anyhow::Result<Ending> {
    let Some(program) = program else { return skip("the built program is not given: --program") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut why = Vec::new();
    for (name, signal, code) in SIGNALS {
        let call =
            json!({"call": {"name": "run_command", "arguments": {"command": "sleep 300 & sleep 300"}}});
        let script = json!({"turns": [{"steps": [call]}], "fallback": "That is all."}).to_string();
        let provider = runtime.block_on(ScriptedProvider::start(Script::parse(&script)?, 0))?;
        let mut child = start(scene, program, &provider.base_url())?;
        if !wait_until(|| processes::descendants(&[]).len() > 2) {
            why.push(format!("{name}: the command did not start"));
        }
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("the program has an id")?;
        kill_process(id, signal)?;
        if !wait_until(|| matches!(child.try_wait(), Ok(Some(_)))) {
            why.push(format!("{name}: the program goes on"));
            child.kill()?;
        }
        let status = child.wait()?;
        let shown = status.code().or_else(|| Some(status.signal()?.saturating_add(128)));
        if shown != Some(code) {
            why.push(format!("{name}: it ended with {status}, not with {code}"));
        }
        let left = processes::survivors(&[]);
        if !left.is_empty() {
            why.push(format!("{name}: {} processes survived", left.len()));
            processes::kill(&left);
        }
        runtime.block_on(provider.shutdown());
    }
    Ok(end_fault(format!("{} signals", SIGNALS.len()), why))
}

fn start(scene: &Scene, program: &Path, url: &str) -> anyhow::Result<Child> {
    let mut command = Command::new(program);
    command
        .args(["run", "Do it.", "--yes", "--wire", "openai-chat", "--model", "scripted"])
        .arg("--base-url")
        .arg(format!("{url}/v1"))
        .arg("--root")
        .arg(&scene.workspace)
        .stdin(Stdio::null());
    // The program that started the harness may ignore a signal, as `nohup` and background jobs do, and a program keeps that.
    windlass_sandbox::start_child(|| command.spawn()).context("the program cannot be started")
}

/// Waits until the condition holds. Returns false on a timeout.
fn wait_until(mut happens: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if happens() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
