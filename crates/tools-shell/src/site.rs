//! Common part of the tools that start commands: the workspace, the confinement, and the processes of the
//! run.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use windlass_protocol::{Effect, ErrorText, Risk, Target, TargetKind, ToolName, ToolSpec};
use windlass_sandbox::{Kind as FileKind, Level, Look, Workspace};
use windlass_tool::{Context, Inspection, Output, ToolError};

use crate::Shell;
use crate::asked::{Need, RequestedCommand};
use crate::launch::{ForNeed, Launch};
use crate::processes::{Job, Kind, Processes, Slot};
use crate::report;
use crate::running::{Bounds, RunningCommand};
use crate::screen::Size;

/// The workspace, shell and processes of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) shell: Shell,
    pub(crate) processes: Processes,
}

/// A command of a call, with its options.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) asked: RequestedCommand,
    pub(crate) folder: String,
    pub(crate) terminal: Option<Size>,
    pub(crate) limit: Option<Duration>,
    /// The time for which the call waits; `None` waits until the end of the command.
    pub(crate) wait: Option<Duration>,
    /// The maximum number of bytes per stream in the result if the command continues after the call.
    pub(crate) most: usize,
}

impl Site {
    /// Returns the effects of a command.
    pub(crate) fn effects(&self, asked: &RequestedCommand, folder: &str) -> Vec<Effect> {
        let directory = self.workspace.effect_path(folder);
        let mut effects = vec![Effect::Execute { command: asked.command(), directory }];
        if asked.need() == Need::Repository {
            effects.push(Effect::Write { path: ".git".to_owned(), bytes: None });
        }
        effects
    }

    /// Returns the effects of arguments that are not a valid command. The policy decides about them as
    /// written; it refuses an empty command and a command with a NUL character.
    pub(crate) fn effects_of_none(
        &self,
        text: Option<&str>,
        argv: Option<&[String]>,
        folder: &str,
    ) -> Vec<Effect> {
        let command = text.map_or_else(|| argv.unwrap_or_default().join(" "), str::to_owned);
        vec![Effect::Execute { command, directory: self.workspace.effect_path(folder) }]
    }

    /// Returns the confinement of a command, and the targets of links in its words.
    pub(crate) fn inspect(&self, asked: &RequestedCommand, folder: &str) -> Inspection {
        let granted = self.shell.grants(self.workspace.root()).for_need(asked.need()).look();
        // The effects of a command say what it can do; one that is proved to only read has a low risk.
        let seen = Inspection::default()
            .with_containment(self.shell.containment(&granted))
            .with_minimum_risk(Risk::Low);
        // A command with too many paths does not run, so its links need not be known.
        let paths = asked.paths(folder).unwrap_or_default();
        paths.iter().filter_map(|path| self.link(path)).fold(seen, Inspection::with_target)
    }

    /// Returns the target of a path if it differs from the path itself. The content of the target is omitted:
    /// a command can find other files under the same names than at the time of the decision, and only a
    /// different place makes it a different command.
    fn link(&self, path: &str) -> Option<Target> {
        let met = self.workspace.target(path, Look::Place);
        let leads_away = met.resolved != met.path || met.kind == TargetKind::Outside;
        let kind = if met.kind == TargetKind::Outside { met.kind } else { TargetKind::default() };
        leads_away.then(|| Target { kind, resolved: met.resolved, ..Target::missing(met.path) })
    }

    /// Runs a command for as long as the call waits. A command that still runs then continues as a process of
    /// the run.
    pub(crate) async fn carry_out(&self, ctx: &Context, order: Order) -> Result<Output, ToolError> {
        order.asked.paths(&order.folder)?;
        let folder = self.folder(&order.folder)?;
        let slot = match (order.terminal, order.wait) {
            (Some(_), _) => Some(self.processes.slot(Kind::Terminal)?),
            (None, Some(_)) => Some(self.processes.slot(Kind::Background)?),
            (None, None) => None,
        };
        let idle = order.terminal.map(|_| self.processes.bounds().idle);
        let bounds = Bounds { limit: order.limit, idle };
        let command = order.asked.command();
        let (shell, root) = (self.shell.clone(), self.workspace.root().to_path_buf());
        let (asked, terminal) = (order.asked, order.terminal);
        let launch = move || Launch::prepare_command(&shell, &root, &folder, &asked, terminal);
        let launch = prepare(ctx, launch).await?;
        let running = start(ctx, launch, bounds, &self.processes)?;
        let waiting = Waiting { wait: order.wait, most: order.most, slot, command };
        attend(ctx, &self.processes, running, waiting).await
    }

    fn folder(&self, folder: &str) -> Result<std::path::PathBuf, ToolError> {
        let path = self.workspace.resolve(folder).map_err(to_tool_error)?;
        if self.workspace.kind(&path).map_err(to_tool_error)? != FileKind::Folder {
            return Err(ToolError::model(format!("`{folder}` is not a folder"))
                .with_advice("Give a folder of the workspace."));
        }
        self.workspace.absolute(&path).map_err(to_tool_error)
    }
}

/// Prepares a launch on a thread that may block on files.
pub(crate) async fn prepare(
    ctx: &Context,
    launch: impl FnOnce() -> std::io::Result<Launch> + Send + 'static,
) -> Result<Launch, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was cancelled before it started; nothing was run"));
    }
    let failed = |error| ToolError::model(format!("nothing was run: it could not be prepared: {error}"));
    match tokio::task::spawn_blocking(launch).await {
        Ok(launch) => launch.map_err(failed),
        Err(error) => Err(ToolError::describe(&error)),
    }
}

pub(crate) fn start(
    ctx: &Context,
    launch: Launch,
    bounds: Bounds,
    processes: &Processes,
) -> Result<RunningCommand, ToolError> {
    RunningCommand::start(ctx, launch, bounds, processes.stop_token())
        .map_err(|error| ToolError::model(format!("the command could not be started: {error}")))
}

/// The time for which a call waits for a command, and what becomes of the command afterwards.
pub(crate) struct Waiting {
    pub(crate) wait: Option<Duration>,
    pub(crate) most: usize,
    pub(crate) slot: Option<Slot>,
    pub(crate) command: String,
}

/// Waits for a command. If the future is dropped before the command became a process of the run, all
/// processes of the command end.
pub(crate) async fn attend(
    ctx: &Context,
    processes: &Processes,
    mut running: RunningCommand,
    waiting: Waiting,
) -> Result<Output, ToolError> {
    let Waiting { wait, most, mut slot, command } = waiting;
    let mut patience = pin!(async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    });
    loop {
        let is_stopped = running.stop.is_cancelled();
        tokio::select! {
            biased;
            finished = &mut running.work => return report::whole(&finished, &running.printed),
            () = ctx.cancellation().cancelled(), if !is_stopped => running.stop.cancel(),
            () = &mut patience, if !is_stopped => if let Some(slot) = slot.take() {
                let job = processes.adopt(ctx, running, slot, command);
                return Ok(hand_over(&job, most));
            },
        }
    }
}

/// Returns the result of a call whose command continues.
fn hand_over(job: &Job, most: usize) -> Output {
    let (id, level) = (job.id, job.printed.level);
    let ways = if job.is_session() {
        format!(
            "session {id} runs; type with send_pty_input, read with read_pty_session, end it with close_pty_session {{\"session_id\":{id}}}"
        )
    } else {
        format!(
            "command {id} keeps running in the background; read on with read_command_output \
             {{\"id\":{id}}}, end it with kill_command {{\"id\":{id}}}"
        )
    };
    let loose = match level {
        Level::None => "; processes that it detaches do not end with it",
        _ => "",
    };
    let text = format!("[{ways}; sandbox: {level}{loose}]{}", report::fresh(&job.printed, most));
    Output::text(text)
}

/// Creates the spec of one of this crate's tools. Name and schema are constants of this crate and tested.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the tool's name is a plain word");
    ToolSpec::function(name, description, schema.parse().expect("the tool's schema is JSON"))
}

pub(crate) fn to_tool_error(error: impl Into<ErrorText>) -> ToolError {
    ToolError::model(error)
}
