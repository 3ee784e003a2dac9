//! `windlass fork`: replays a recorded run up to a call, changes that call's result, and continues live.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_app::App;
use windlass_app::runs::{Session, SessionOptions};
use windlass_protocol::CallId;
use windlass_tool::{CancellationToken, Output};

use crate::arguments::{Fork, StoreOption};
use crate::drive::{RunParts, Telling, drive};
use crate::input;
use crate::people::choose_people;
use crate::run::{RunCost, prices_of, report_end, tell_differences};
use crate::show::Show;
use crate::telemetry::Telemetry;

pub(crate) async fn fork(arguments: Fork, app: &App) -> anyhow::Result<ExitCode> {
    let telemetry = Telemetry::begin(&arguments.otlp, &arguments.reach, app)?;
    let end = fork_traced(arguments, app, &telemetry).await;
    telemetry.end().await;
    end
}

async fn fork_traced(arguments: Fork, app: &App, telemetry: &Telemetry) -> anyhow::Result<ExitCode> {
    let text = if arguments.answer == "-" { input::text(Path::new("-"))? } else { arguments.answer.clone() };
    let call = CallId::new(arguments.at.as_str()).context("--at does not name a call")?;
    let answer = Output::text(text).with_status(arguments.status.status());
    let recorded = SessionOptions::read_recorded_settings(&arguments.cassette)?;
    let stop = CancellationToken::new();
    let mut options = SessionOptions::new(choose_people(app, &arguments.approval, &recorded.root)?);
    options.providers = arguments.reach.options();
    options.cancellation = stop.clone();
    options.record.clone_from(&arguments.record);
    let fork = windlass_cassette::Fork::new(call, answer);
    let session = Session::fork(app, &arguments.cassette, fork, &options).await?;
    let Session { folder, events, inbox, recording, mut feed, .. } = session;
    let prices = prices_of(app, &recorded, &options.providers)?;
    let mut show = Show::new();
    let events = telemetry.observe(events, &recorded.provider, recorded.budget.prices, &folder.id);
    let (telling, parts) = (Telling::from_flag(arguments.json), RunParts { inbox: &inbox, feed: &mut feed });
    let outcome = drive(events, &mut show, telling, &stop, Some(parts)).await?;
    let is_same = tell_differences(&recording.finish()?);
    let cost = RunCost { total: feed.total(), prices };
    let code = report_end(&folder, &StoreOption::default(), &outcome, &show, &cost);
    Ok(if is_same { code } else { ExitCode::FAILURE })
}
