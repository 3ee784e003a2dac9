//! `windlass demo`: runs the real agent against a scripted provider on loopback.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use windlass_agent::{Agent, AgentBuilder, ApproveAll, Approver, ApproverFuture, Outcome, RunOptions};
use windlass_app::assembly::{ToolPlan, build_shell, build_toolbox, warn_about_confinement};
use windlass_app::runs::RunFolder;
use windlass_app::{App, ToolPreset, ToolSelection, resolve_root};
use windlass_client::{Client, Endpoint, Options};
use windlass_hitl::ApprovalRequest;
use windlass_journal::FileJournal;
use windlass_mock::{Script, ScriptedProvider};
use windlass_tool::CancellationToken;

use crate::arguments::Demo;
use crate::drive::{Telling, drive};
use crate::project::{self, Project};
use crate::show::Show;
use crate::signals::Signals;
use crate::terminal::Terminal;
use crate::usage;
use crate::{output, run};

pub(crate) async fn demo(arguments: Demo, app: &App) -> anyhow::Result<ExitCode> {
    // Handle signals before the folder exists, so that none leaves it behind.
    let mut signals = Signals::listen()?;
    let project = Project::create()?;
    let is_driven = AtomicBool::new(false);
    let end = tokio::select! {
        biased;
        code = signals.wait_for_end(&is_driven) => Ok(ExitCode::from(code)),
        end = mend(arguments, app, &project, &is_driven) => end,
    };
    project.remove().await;
    end
}

/// Runs the agent on the project. Sets `is_driven` from the moment when the run handles Ctrl-C.
async fn mend(
    arguments: Demo,
    app: &App,
    project: &Project,
    is_driven: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let telling = Telling::from_flag(arguments.json);
    anyhow::ensure!(!project.passes()?, "the demo's check passes before anything was mended");
    let script = Script::parse(project::SCRIPT).context("the demo's own script")?;
    let provider =
        ScriptedProvider::start(script, 0).await.context("the scripted provider cannot be started")?;
    let folder = RunFolder::create(app)?;
    let stop = CancellationToken::new();
    if telling == Telling::Words {
        output::print(&format!(
            "The project: {}\nThe provider: {} ({})\nThe task: {}\n",
            project.root().display(),
            provider.base_url(),
            arguments.wire.as_str(),
            project::TASK
        ))?;
    }
    let agent = agent(&arguments, app, (project, &provider), &folder, &stop)?;
    let options = RunOptions::default()
        .with_journal(FileJournal::create(folder.journal())?)
        .with_cancellation(stop.clone())
        .with_outputs(folder.outputs());
    let began = Instant::now();
    let mut show = Show::new();
    // Let `signals` handle an earlier Ctrl-C; the run handles later ones.
    tokio::task::yield_now().await;
    is_driven.store(true, Ordering::Release);
    let outcome = drive(agent.stream_with(project::TASK, options), &mut show, telling, &stop, None).await?;
    provider.shutdown().await;
    let passes = project.passes()?;
    if telling == Telling::Words {
        summarize(project, &show, &folder, began.elapsed().as_millis(), passes)?;
    }
    let completed = matches!(outcome, Outcome::Completed { .. });
    Ok(if completed && passes { ExitCode::SUCCESS } else { run::exit_code(&show) })
}

fn agent(
    arguments: &Demo,
    app: &App,
    (project, provider): (&Project, &ScriptedProvider),
    folder: &RunFolder,
    stop: &CancellationToken,
) -> anyhow::Result<Agent> {
    let endpoint = Endpoint::custom(provider.base_url(), arguments.wire.as_str());
    let client = Client::new(endpoint, None, arguments.wire.wire(), Options::default())?;
    let root = resolve_root(project.root())?;
    let shell = build_shell(app, arguments.sandbox.confinement(), None)?;
    warn_about_confinement(app, &shell);
    let (selection, outputs) = (ToolSelection::default(), folder.outputs());
    let plan = ToolPlan::new(ToolPreset::Standard, &selection).with_outputs(&outputs);
    let builder = Agent::builder()
        .model(client, "scripted-1")
        .toolbox(build_toolbox(app, &root, plan, &shell)?)
        .root(root.display().to_string())
        .system("You mend small projects.")
        .max_output_tokens(4096);
    Ok(with_human(builder, arguments, stop).build()?)
}

fn with_human(builder: AgentBuilder, arguments: &Demo, stop: &CancellationToken) -> AgentBuilder {
    if arguments.yes {
        return builder.approver(ApproveAll);
    }
    if arguments.ask || Terminal::is_there() {
        let terminal = Terminal::new();
        return builder.approver(terminal.clone()).human(terminal);
    }
    builder.approver(WouldAsk { stop: stop.clone() })
}

/// Approver that prints the question and stops the run, for a process without a terminal.
struct WouldAsk {
    stop: CancellationToken,
}

impl Approver for WouldAsk {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            output::note(&format!(
                "\n? {}\nNobody is at a terminal to say yes. Run it again with --yes to say yes to everything.",
                request.describe()
            ));
            self.stop.cancel();
            None
        })
    }
}

fn summarize(
    project: &Project,
    show: &Show,
    folder: &RunFolder,
    milliseconds: u128,
    passes: bool,
) -> anyhow::Result<()> {
    let list = |items: &[String]| items.iter().fold(String::new(), |text, item| text + "  " + item + "\n");
    let diff = project.diff()?;
    let diff = if diff.is_empty() { "  nothing\n".to_owned() } else { diff };
    output::print(&format!(
        "\nWhat changed:\n{diff}\nCalls:\n{}\nDecisions:\n{}\nUsed: {}. Time: {milliseconds} ms.\n\
         Journal: {}\nThe check, run once more from outside: {}\n",
        list(&show.calls),
        list(&show.decisions),
        usage::words(show.usage),
        folder.journal().display(),
        if passes { "passes" } else { "fails" },
    ))
}
