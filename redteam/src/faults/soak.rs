//! Ten thousand turns with random faults: broken answers, invalid calls, tools that fail and panic,
//! unanswered questions, conversations that are too long, and processes that end at any moment.

mod counts;
mod environment;
mod model;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use futures_util::StreamExt as _;
use windlass_agent::{Agent, CompactionMode, ContextLimits, Event, Outcome, RunLimits, RunOptions};
use windlass_journal::FileJournal;
use windlass_protocol::{Hints, History, ToolName, ToolSpec};
use windlass_tool::Tool;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use self::counts::{Luck, SoakCounts};
use self::environment::{Moody, Unlucky, UnsyncedJournal};
use self::model::Faulty;
use super::end_fault;
use crate::observed::Ending;
use crate::scene::Scene;

/// The number of runs. `TURNS` is the number of answers of each.
const RUNS: u64 = 20;
const TURNS: usize = 500;
/// The maximum number of events before a process ends; a run needs several processes.
const EVENTS: usize = 2_000;

pub(super) fn run(scene: &Scene) -> anyhow::Result<Ending> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let seen = Arc::new(SoakCounts::default());
    let mut memory = Vec::new();
    let mut descriptors = Vec::new();
    for number in 0..RUNS {
        let journal = scene.workspace.join(format!("soak-{number}.journal"));
        runtime.block_on(one(&journal, number, &seen))?;
        fs::remove_file(&journal)?;
        memory.push(resident()?);
        descriptors.push(fs::read_dir("/proc/self/fd")?.count());
    }
    let mut why = seen.wrong.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // The first runs fill caches. Memory must not grow after them.
    let (early, late) =
        (memory.get(4).copied().unwrap_or_default(), memory.last().copied().unwrap_or_default());
    if late > early.saturating_mul(5) / 4 {
        why.push(format!("memory grew from {early} to {late} pages"));
    }
    if descriptors.windows(2).any(|pair| pair[0] != pair[1]) {
        why.push(format!("descriptors are not the same after each run: {descriptors:?}"));
    }
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    let observed = format!(
        "{} answers, {} faults, {} resumes, {} compactions; memory {early} to {late} pages, {} descriptors",
        count(&seen.answers),
        count(&seen.faults),
        count(&seen.resumes),
        count(&seen.compactions),
        descriptors.last().copied().unwrap_or_default()
    );
    Ok(end_fault(observed, why))
}

fn resident() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/statm")?;
    Ok(text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default())
}

/// Performs one run in as many processes as it needs. A process ends by being dropped in the middle.
async fn one(journal: &Path, number: u64, seen: &Arc<SoakCounts>) -> anyhow::Result<()> {
    let luck = Luck::new(number);
    *seen.last() = History::new();
    let answers = Arc::new(AtomicUsize::new(0));
    let agent = agent(number, &luck, seen, &answers)?;
    let mut is_new = true;
    // The bound detects a run that does not end.
    for _ in 0..TURNS {
        // The run may have completed just before its process ended.
        if !is_new && crate::crash::is_file_done(journal)? {
            return Ok(());
        }
        let file = if is_new { FileJournal::create(journal)? } else { FileJournal::open(journal)?.0 };
        let options = RunOptions::default().with_journal(UnsyncedJournal(file, Arc::clone(seen)));
        let mut events = if is_new { agent.stream_with("soak", options) } else { agent.resume(options)? };
        is_new = false;
        let mut left = luck.pick_between(1, EVENTS);
        let mut outcome = None;
        while let Some(event) = events.next().await {
            if let Event::Finished { outcome: ended, .. } = event? {
                outcome = Some(ended);
            }
            left = left.saturating_sub(1);
            if left == 0 && outcome.is_none() {
                break;
            }
        }
        match outcome {
            Some(Outcome::Completed { .. }) => return Ok(()),
            // Any other outcome is resumed in another process.
            _ => seen.resumes.fetch_add(1, Ordering::Relaxed),
        };
    }
    seen.wrong(format!("run {number} does not come to its end"));
    Ok(())
}

fn agent(
    number: u64,
    luck: &Luck,
    seen: &Arc<SoakCounts>,
    answers: &Arc<AtomicUsize>,
) -> anyhow::Result<Agent> {
    let tool = |name: &str, hints| -> anyhow::Result<Arc<dyn Tool>> {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#.parse()?;
        let spec = ToolSpec::function(ToolName::new(name)?, "A tool.", schema);
        Ok(Arc::new(Unlucky { spec, hints, luck: luck.clone(), seen: seen.clone() }))
    };
    let tools = [tool("look", Hints::read_only())?, tool("change", Hints::default())?];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build()?;
    let condense = if number.is_multiple_of(2) { CompactionMode::SumUp } else { CompactionMode::LeaveOut };
    let model =
        Faulty { luck: luck.clone(), seen: seen.clone(), answers: answers.clone(), calls: AtomicU64::new(0) };
    let agent = Agent::builder()
        .model(model, "soak")
        .toolbox(toolbox)
        .limits(RunLimits { turns: 0, mistakes: 0, ..RunLimits::default() })
        .context(ContextLimits { window: 20_000, condense, ..ContextLimits::default() })
        .approver(Moody { luck: luck.clone(), seen: seen.clone() });
    Ok(agent.build()?)
}
