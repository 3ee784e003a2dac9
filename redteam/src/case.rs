//! Runs one case, from its text to its ending, in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use serde_json::Value;

use crate::asserts::{self, Evidence, StateBefore};
use crate::catalogue::{Case, Catalogue, Mode};
use crate::observed::{Ending, Observation, Skip, skip};
use crate::processes::{self, Census};
use crate::scene::Scene;
use crate::setup::Setup;
use crate::{decide, execute, guard, prompt, pseudo};

/// The arguments of a case's process.
#[derive(Debug)]
pub(crate) struct CaseArguments<'a> {
    pub(crate) file: &'a Path,
    pub(crate) index: usize,
    pub(crate) folder: &'a Path,
    pub(crate) template: &'a Path,
    pub(crate) program: Option<&'a Path>,
    pub(crate) secret: &'a str,
}

/// Everything that is needed to run a case.
pub(crate) struct Stage<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) setup: &'a Setup,
    pub(crate) tool: &'a str,
    /// The input as JSON text, with its placeholders filled in.
    pub(crate) input: &'a str,
    pub(crate) value: &'a Value,
    pub(crate) case: &'a Case,
    pub(crate) program: Option<&'a Path>,
}

/// A process outside of the case, with a name like the agent's. It has to survive everything that the case
/// does.
struct Sentinel(Child);

/// Runs the case. An error of the harness fails the case.
pub(crate) fn run(told: &CaseArguments<'_>) -> Ending {
    processes::adopt_orphans();
    match attempt(told) {
        Ok(ending) => ending,
        Err(error) => match error.downcast_ref::<Skip>() {
            Some(skip) => Ending::Skipped { why: skip.0.clone() },
            None => Ending::Failed { observed: "nothing".to_owned(), why: vec![format!("{error:#}")] },
        },
    }
}

fn attempt(told: &CaseArguments<'_>) -> anyhow::Result<Ending> {
    let catalogue = Catalogue::read(told.file)?;
    let case = catalogue.cases.get(told.index).context("the case does not exist")?;
    let case = case.as_ref().map_err(|unreadable| anyhow::anyhow!("{}", unreadable.why))?;
    let scene = Scene::create(told.folder, told.template, told.secret)?;
    let setup = Setup::read(&catalogue.setups, &case.setup, |text| scene.fill(text))?;
    scene.lay(&setup)?;
    scene.lay_sparse(case.input.get())?;
    let input = scene.fill_json(case.input.get());
    // An input that is not valid JSON, such as a text with a lone surrogate, can still be sent by a model.
    let value = serde_json::from_str(&input).unwrap_or(Value::Null);
    let stage = Stage {
        scene: &scene,
        setup: &setup,
        tool: &case.tool,
        input: &input,
        value: &value,
        case,
        program: told.program,
    };
    if !guard::enter() && case.asserts.contains_key("pids_max") {
        return skip("no control group can limit processes here, and the case floods the machine with them");
    }
    let sentinel = Sentinel::start(case)?;
    let before = StateBefore::look(&scene, sentinel.iter().map(Sentinel::id).collect());
    let observed = observe(&stage, &before, sentinel)?;
    Ok(evaluate(&stage, &before, &observed))
}

fn observe(
    stage: &Stage<'_>,
    before: &StateBefore,
    sentinel: Option<Sentinel>,
) -> anyhow::Result<Observation> {
    // The limit is far above any asserted one. It protects the machine if the asserted limit does not hold.
    let most = stage.case.asserts.get("pids_max").and_then(Value::as_u64);
    let census = most.map(|most| Census::begin(before.expected.clone(), most.saturating_mul(4)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let observed = runtime.block_on(quietly(stage));
    runtime.shutdown_background();
    let mut observed = observed?;
    if let Some(census) = census {
        observed = observed.with_value("pids", census.end());
    }
    if let Some(sentinel) = sentinel {
        observed = observed.with_value("host_ok", sentinel.ends_well());
    }
    Ok(observed)
}

/// Performs the case. If packets are counted, repeats it, because other processes on this machine may have
/// sent some.
async fn quietly(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let attempts = if stage.case.asserts.contains_key("packets_out") { 5 } else { 1 };
    let mut least: Option<(u64, Observation)> = None;
    for _ in 0..attempts {
        let before = packets_out();
        let observed = perform(stage).await?;
        let packets = packets_out().saturating_sub(before);
        if least.as_ref().is_none_or(|(known, _)| packets < *known) {
            least = Some((packets, observed));
        }
        if packets == 0 {
            break;
        }
    }
    let (packets, observed) = least.context("nothing was performed")?;
    Ok(observed.with_value("packets_out", packets))
}

async fn perform(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    if let Some(pseudo) = pseudo::find(stage.tool) {
        return pseudo.run(stage).await;
    }
    let mode = if stage.case.never_execute { Mode::Decide } else { stage.case.mode };
    match mode {
        Mode::Decide => decide::run(stage.scene, stage.setup, (stage.tool, stage.input), stage.program),
        Mode::Execute => execute::run(stage.scene, stage.setup, (stage.tool, stage.input)).await,
        Mode::Prompt => prompt::run(stage).await,
    }
}

/// Decides about the case: the outcome has to be one of the accepted ones, and every assert has to hold.
fn evaluate(stage: &Stage<'_>, before: &StateBefore, observed: &Observation) -> Ending {
    let mut why = Vec::new();
    if !stage.case.accept.iter().any(|word| observed.words.contains(word)) {
        why.push("the outcome is not accepted".to_owned());
    }
    let log = fs::read_to_string(stage.scene.folder.join("log")).unwrap_or_default();
    let evidence = Evidence { scene: stage.scene, before, observed, input: stage.value, log: &log };
    for (name, wanted) in &stage.case.asserts {
        let wanted = crate::setup::fill_placeholders(wanted, &|text| stage.scene.fill(text));
        match asserts::check(name, &wanted, &evidence) {
            Ok(None) => {}
            Ok(Some(broken)) => why.push(broken),
            Err(error) => why.push(format!("{error:#}")),
        }
    }
    let observed = observed.format_line();
    if why.is_empty() { Ending::Passed { observed } } else { Ending::Failed { observed, why } }
}

/// Returns the number of packets that left this machine on all interfaces except the loopback.
fn packets_out() -> u64 {
    let text = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let others = lines.filter(|(name, _)| name.trim() != "lo");
    // The second of the eight transmit counters.
    others.filter_map(|(_, figures)| figures.split_whitespace().nth(9)?.parse::<u64>().ok()).sum()
}

impl Sentinel {
    fn start(case: &Case) -> anyhow::Result<Option<Self>> {
        if !case.asserts.contains_key("host_ok") {
            return Ok(None);
        }
        let child = Command::new(std::env::current_exe()?)
            .args(["stand-by", "agent"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("the sentinel cannot be started")?;
        Ok(Some(Self(child)))
    }

    fn id(&self) -> i32 {
        i32::try_from(self.0.id()).unwrap_or_default()
    }

    /// Returns true if the sentinel still runs and the machine can start a process within a second.
    fn ends_well(mut self) -> bool {
        let is_there = matches!(self.0.try_wait(), Ok(None));
        let began = std::time::Instant::now();
        let starts = Command::new("true").status().is_ok_and(|status| status.success());
        let is_quick = began.elapsed() < std::time::Duration::from_secs(1);
        drop(self.0.kill());
        drop(self.0.wait());
        is_there && starts && is_quick
    }
}
