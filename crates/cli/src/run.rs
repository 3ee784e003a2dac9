//! `windlass run`: an agent does a task in a folder.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;
use windlass_agent::{Agent, AgentBuilder, Everything, Limits, Outcome, RunOptions};
use windlass_journal::{FileJournal, Tail};

use crate::arguments::{PresetName, Run};
use crate::drive::{Telling, drive};
use crate::provider::Provider;
use crate::runs::{self, RunFolder, Settings};
use crate::show::Show;
use crate::terminal::{SayNo, Terminal, WouldAsk};
use crate::{output, setup};

pub(crate) async fn run(arguments: Run) -> anyhow::Result<ExitCode> {
    let state = runs::state()?;
    let stop = CancellationToken::new();
    let telling = Telling::of(arguments.json);
    let mut show = Show::default();
    let (folder, events) = match &arguments.resume {
        Some(id) => resume(&arguments, RunFolder::find(&state, id)?, &stop)?,
        None => start(&arguments, &state, &stop)?,
    };
    let outcome = drive(events, &mut show, telling, &stop).await?;
    Ok(ended(&folder, &outcome, &show))
}

fn start(
    arguments: &Run,
    state: &Path,
    stop: &CancellationToken,
) -> anyhow::Result<(RunFolder, windlass_agent::EventStream)> {
    let provider = Provider::of(arguments)?;
    let settings = Settings {
        task: arguments.task.clone().context("say what to do")?,
        root: setup::root(&arguments.root)?,
        policy: arguments.policy.as_deref().map(setup::root).transpose()?,
        preset: arguments.preset,
        max_turns: arguments.max_turns,
        provider,
    };
    // Everything that can be wrong is found before the run has a folder.
    let built = agent(arguments, &settings, None, stop)?;
    drop(built);
    let folder = RunFolder::create(state)?;
    folder.write_settings(&settings)?;
    let agent = agent(arguments, &settings, Some(&folder), stop)?;
    let journal = FileJournal::create(folder.journal())?;
    Ok((folder.clone(), agent.stream_with(settings.task, options(&folder, journal, stop))))
}

fn resume(
    arguments: &Run,
    folder: RunFolder,
    stop: &CancellationToken,
) -> anyhow::Result<(RunFolder, windlass_agent::EventStream)> {
    let settings = folder.settings()?;
    let agent = agent(arguments, &settings, Some(&folder), stop)?;
    let (journal, tail) = FileJournal::open(folder.journal())?;
    if let Tail::Torn { bytes } = tail {
        output::note(&format!("the last record had been cut by a crash; its {bytes} bytes were dropped"));
    }
    let events = agent.resume(options(&folder, journal, stop))?;
    Ok((folder, events))
}

fn options(folder: &RunFolder, journal: FileJournal, stop: &CancellationToken) -> RunOptions {
    RunOptions::default().with_journal(journal).with_cancellation(stop.clone()).with_outputs(folder.outputs())
}

fn agent(
    arguments: &Run,
    settings: &Settings,
    folder: Option<&RunFolder>,
    stop: &CancellationToken,
) -> anyhow::Result<Agent> {
    let outputs = folder.map(RunFolder::outputs);
    let toolbox = setup::toolbox(&settings.root, outputs.as_deref(), settings.preset)?;
    let (client, model) = settings.provider.client(&arguments.reach)?;
    let capabilities = client.capabilities(&model).capabilities();
    let builder = Agent::builder()
        .model(client, model)
        .capabilities(capabilities)
        .toolbox(toolbox)
        .policy(setup::policy(&settings.root, settings.policy.as_deref())?)
        .root(settings.root.display().to_string())
        .system(system_prompt(&settings.root, settings.preset))
        .limits(Limits { turns: settings.max_turns, ..Limits::default() });
    Ok(with_human(builder, arguments, stop).build()?)
}

/// Somebody who says yes, no, or is asked; a terminal only where there is one.
fn with_human(builder: AgentBuilder, arguments: &Run, stop: &CancellationToken) -> AgentBuilder {
    if arguments.yes {
        return builder.approver(Everything);
    }
    if arguments.deny {
        return builder.approver(SayNo);
    }
    if arguments.ask || Terminal::is_there() {
        let terminal = Terminal::new();
        return builder.approver(terminal.clone()).human(terminal);
    }
    builder.approver(WouldAsk { stop: stop.clone() })
}

fn system_prompt(root: &Path, preset: PresetName) -> String {
    let done = match preset {
        PresetName::Minimal => "When the task is done, say so in words without calling a tool.",
        PresetName::Standard | PresetName::Full => {
            "When the task is done and checked, call attempt_completion, alone."
        }
    };
    format!(
        "You are a careful coding agent working in the folder {}. All paths are relative to it; nothing outside \
         can be touched. Look before you change, change as little as the task needs, and check what you changed \
         by running it where that is possible. A human may have to approve a call; if one is denied, do not try \
         to get the same in another way. {done}",
        root.display()
    )
}

/// Tells how the run ended and how to go on, and what the process says.
fn ended(folder: &RunFolder, outcome: &Outcome, show: &Show) -> ExitCode {
    output::note(&format!(
        "{} tokens in, {} out; journal: {}",
        show.usage.input_tokens,
        show.usage.output_tokens,
        folder.journal().display()
    ));
    if matches!(outcome, Outcome::Completed { .. }) {
        return ExitCode::SUCCESS;
    }
    output::note(&format!("go on with: windlass run --resume {}", folder.id));
    ExitCode::FAILURE
}
