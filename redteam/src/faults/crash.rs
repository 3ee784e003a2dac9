//! Kills a writer at random moments. The file must hold its old or its new bytes, and no draft may be left
//! permanently.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::json;
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_sandbox::Workspace;
use windlass_testkit::split::SplitMix64;
use windlass_tool::Context;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use super::end_fault;
use crate::engine::now_ms;
use crate::observed::Ending;
use crate::scene::Scene;

const ROUNDS: u64 = 60;
/// The maximum time until a writer's first write, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
const FILE: &str = "src/a.rs";
/// The number of lines is high enough for a write to take several system calls.
const LINES: usize = 20_000;

fn texts() -> [String; 2] {
    ["// the one text\n", "// the other text, which is longer\n"].map(|line| line.repeat(LINES))
}

/// Kills a writer repeatedly, and checks the files that it left.
pub(super) fn run(scene: &Scene) -> anyhow::Result<Ending> {
    let path = scene.workspace.join(FILE);
    let folder = path.parent().context("the file has a folder")?;
    let [one, other] = texts();
    fs::write(&path, &one)?;
    let names = || -> BTreeSet<_> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
    };
    let before = names();
    let mut random = SplitMix64::new(now_ms());
    let mut why = Vec::new();
    let mut changes = 0_u64;
    let mut last = one.clone();
    for round in 0..ROUNDS {
        let mut writer = Command::new(std::env::current_exe()?)
            .arg("write-on")
            .arg(&scene.workspace)
            .stdin(Stdio::null())
            .spawn()?;
        // The writer has written once and is somewhere before the end of its next write.
        wait_for_change(&path)?;
        std::thread::sleep(Duration::from_millis(u64::try_from(random.between(0, 120))?));
        writer.kill()?;
        writer.wait()?;
        let now = fs::read_to_string(&path)?;
        if now != one && now != other {
            why.push(format!("round {round}: {} bytes of neither text", now.len()));
            break;
        }
        changes = changes.saturating_add(u64::from(now != last));
        last = now;
    }
    // The next session writes once and is not killed; it sweeps the drafts of the killed writers.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(write_once(&scene.workspace, &one))?;
    let left: Vec<_> = names().difference(&before).map(|name| name.display().to_string()).collect();
    if !left.is_empty() {
        why.push(format!("left behind: {}", left.join(", ")));
    }
    Ok(end_fault(format!("{ROUNDS} kills, {changes} of them after another text was there"), why))
}

/// Waits until the file is replaced, which gives it another inode.
fn wait_for_change(path: &Path) -> anyhow::Result<()> {
    let before = fs::metadata(path)?.ino();
    let began = Instant::now();
    while fs::metadata(path)?.ino() == before {
        anyhow::ensure!(began.elapsed() < PATIENCE, "no writer came to write");
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Writes the two texts alternately until the process is killed.
pub(crate) fn write_on(workspace: &Path) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        loop {
            for text in texts() {
                write_once(workspace, &text).await?;
            }
        }
    })
}

/// Reads the file and writes it with the tools, like a session that has just begun.
async fn write_once(workspace: &Path, text: &str) -> anyhow::Result<()> {
    let tools = windlass_tools_fs::tools(&Arc::new(Workspace::open(workspace)?));
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build()?;
    let read = ("read_file", json!({"path": FILE}));
    let write = ("write_file", json!({"path": FILE, "content": text}));
    for (tool, arguments) in [read, write] {
        let arguments = Arguments::parse(arguments.to_string())?;
        let call = ToolCall::function(CallId::new("call_1")?, ToolName::new(tool)?, arguments);
        let checked = toolbox.check(&call).map_err(|result| anyhow::anyhow!("{}", result.wire_text()))?;
        let result = toolbox.run(&checked, &Context::new(call.id.clone())).await?;
        anyhow::ensure!(result.status.is_ok(), "{}", result.wire_text());
    }
    Ok(())
}
