//! `windlass fork`: replays a recorded run up to a call, changes that call's result, and continues live.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_cassette::Player;
use windlass_journal::FileJournal;
use windlass_protocol::CallId;
use windlass_telemetry::trace_events;
use windlass_tool::{CancellationToken, Output};

use crate::arguments::Fork;
use crate::assembly::Assembly;
use crate::drive::{Telling, drive};
use crate::nested::Nested;
use crate::own::Own;
use crate::run::{ended, options, recorded_settings, tell_differences};
use crate::runs::{self, RunFolder};
use crate::show::Show;
use crate::tape::Tape;
use crate::traces::Traces;
use crate::{checkpoints, confine, input, output, secrets};

pub(crate) async fn fork(arguments: Fork) -> anyhow::Result<ExitCode> {
    let traces = Traces::begin(&arguments.otlp, &arguments.reach)?;
    let end = fork_traced(arguments, &traces).await;
    traces.end().await;
    end
}

async fn fork_traced(arguments: Fork, traces: &Traces) -> anyhow::Result<ExitCode> {
    let text = if arguments.answer == "-" { input::text(Path::new("-"))? } else { arguments.answer.clone() };
    let call = CallId::new(arguments.at.as_str()).context("--at names no call")?;
    let answer = Output::text(text).with_status(arguments.status.status());
    let player = Player::fork(&arguments.cassette, windlass_cassette::Fork::new(call, answer))?;
    let settings = recorded_settings(&player, &arguments.cassette)?;
    let root = &settings.root;
    anyhow::ensure!(root.is_dir(), "the run worked in {}, which is not there", root.display());
    output::note(&format!(
        "the folder {} is as it is now: what the recorded run did there before the fork is not done again",
        root.display()
    ));
    let secrets = secrets::of_run(&settings, &arguments.reach)?;
    let tape = Tape::forked(player).recording(arguments.record.as_deref(), &settings, secrets)?;
    let stop = CancellationToken::new();
    let folder = RunFolder::create(&runs::state()?)?;
    folder.write_settings(&settings)?;
    let shell = confine::shell(settings.sandbox, settings.policy.as_deref())?;
    let records = arguments.record.as_deref().into_iter().chain([arguments.cassette.as_path()]);
    let shell = Own::of(None).with_records(records).hide(shell);
    confine::warn(&shell);
    let assembly = Assembly {
        settings: &settings,
        approval: &arguments.approval,
        reach: &arguments.reach,
        tape: &tape,
        shell: &shell,
        outputs: Some(folder.outputs()),
        answers: None,
        nested: Nested::of(&settings, Some(&folder))?,
    };
    let agent = assembly.agent().await?;
    let journal = FileJournal::create(folder.journal())?;
    let options = checkpoints::kept(options(&folder, journal, &stop), &folder, &settings);
    let events = agent.stream_with(settings.task.clone(), options);
    let mut show = Show::default();
    let events = trace_events(events, &traces.options(&settings.provider).with_conversation(&folder.id));
    let outcome = drive(events, &mut show, Telling::of(arguments.json), &stop, None).await?;
    let is_same = tell_differences(&tape.finish()?);
    let code = ended(&folder, &outcome, &show);
    Ok(if is_same { code } else { ExitCode::FAILURE })
}
