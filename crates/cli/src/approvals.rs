//! `windlass approvals`: lists the open questions of runs that wait or are suspended, and stores answers to them, from
//! any process.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_app::runs::{OpenQuestions, RunAnswers, RunFolder, StoredAnswer, store_answer};
use windlass_app::{App, one_line};
use windlass_hitl::{ApprovalRequest, display_line, display_safe};
use windlass_protocol::CallId;

use crate::arguments::{Approvals, ApprovalsCommand, Target};
use crate::{input, output};

pub(crate) fn approvals(arguments: &Approvals, app: &App) -> anyhow::Result<ExitCode> {
    let app = &arguments.store.open(app)?;
    if let ApprovalsCommand::List { run, full, json } = &arguments.command {
        list(app, run.as_deref(), *full, *json)?;
    }
    let Some(run) = arguments.command.run_id() else { return Ok(ExitCode::SUCCESS) };
    let (folder, open) = waiting(app, run)?;
    for answer in create_answers(&arguments.command, &open)? {
        store_answer(&folder, &answer.stored.clone().with_window("command line"))?;
        answer.report()?;
    }
    print_stored(&folder, &open, &arguments.store.describe());
    Ok(ExitCode::SUCCESS)
}

/// An answer to an open question.
#[derive(Debug)]
pub(crate) struct NewAnswer {
    pub(crate) stored: StoredAnswer,
    /// The line that reports the answer.
    line: Option<String>,
}

impl NewAnswer {
    /// Prints the line that reports the answer.
    pub(crate) fn report(&self) -> anyhow::Result<()> {
        self.line.as_deref().map_or(Ok(()), output::print)
    }
}

/// Creates the answers of a command to the open questions of its run.
///
/// # Errors
/// Fails if the command names a question or a call that is not open.
pub(crate) fn create_answers(
    command: &ApprovalsCommand,
    open: &OpenQuestions,
) -> anyhow::Result<Vec<NewAnswer>> {
    match command {
        ApprovalsCommand::List { .. } => Ok(Vec::new()),
        ApprovalsCommand::Approve { target, comment } => decide(open, target, comment.as_deref(), true),
        ApprovalsCommand::Deny { target, comment } => decide(open, target, comment.as_deref(), false),
        ApprovalsCommand::Comment { run, words } => {
            anyhow::ensure!(open.guidance.is_some(), "run {run} has no open question about how it continues");
            Ok(vec![NewAnswer { stored: StoredAnswer::guidance(open, words.as_str()), line: None }])
        }
        ApprovalsCommand::Result { run, call, text, status } => {
            let call = find_deferred(open, run, call)?;
            let text = if text == "-" { input::text("-".as_ref())? } else { text.clone() };
            Ok(vec![NewAnswer { stored: StoredAnswer::result(call, status.status(), &text), line: None }])
        }
    }
}

/// Finds the deferred call with an id. Models choose call ids, so several calls can have the same one.
fn find_deferred<'a>(open: &'a OpenQuestions, run: &str, call: &str) -> anyhow::Result<&'a CallId> {
    let waits: Vec<&str> = open.results.iter().map(CallId::as_str).collect();
    let many = waits.iter().filter(|id| **id == call).count();
    anyhow::ensure!(
        many < 2,
        "{many} calls with the id {call} wait for a result in run {run}, so the id does not identify one of them"
    );
    open.results.iter().find(|id| id.as_str() == call).with_context(|| {
        format!("run {run} does not wait for a result of {call}; it waits for: {}", one_of(&waits))
    })
}

fn print_stored(folder: &RunFolder, open: &OpenQuestions, store: &str) {
    let command = if folder.is_workflow() { "windlass workflow run" } else { "windlass run" };
    let when = if open.has_ended {
        "the run receives it with"
    } else {
        "the run receives it now if its process works, and otherwise with"
    };
    output::note(&format!("stored; {when}: {command} --resume {}{store}", folder.id));
}

fn one_of<T: std::borrow::Borrow<str>>(names: &[T]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// Finds a run with an open question. Fails if no question is open.
fn waiting(app: &App, run: &str) -> anyhow::Result<(RunFolder, OpenQuestions)> {
    let folder = app.find_run(run)?;
    let open = OpenQuestions::load(&folder)?;
    anyhow::ensure!(!open.is_empty(), "run {run} has no open questions");
    Ok((folder, open))
}

fn decide(
    open: &OpenQuestions,
    target: &Target,
    comment: Option<&str>,
    approved: bool,
) -> anyhow::Result<Vec<NewAnswer>> {
    let mut chosen: Vec<&ApprovalRequest> = Vec::new();
    if target.all {
        chosen.extend(&open.questions);
    }
    for id in &target.ids {
        let question = the_question(open, &target.run, id)?;
        if !chosen.iter().any(|other| other.request_id == question.request_id) {
            chosen.push(question);
        }
    }
    anyhow::ensure!(!chosen.is_empty(), "run {} has no question about a call", target.run);
    let verb = if approved { "approved" } else { "denied" };
    let answer = |question: &ApprovalRequest| NewAnswer {
        stored: StoredAnswer::approval(question, approved, comment.map(str::to_owned)),
        line: Some(format!("{verb}: {}\n", label(question))),
    };
    Ok(chosen.into_iter().map(answer).collect())
}

/// Finds a question by its own id or by the id of its call. Models choose call ids, so several questions can
/// have the same one; the id is then an error.
fn the_question<'a>(open: &'a OpenQuestions, run: &str, id: &str) -> anyhow::Result<&'a ApprovalRequest> {
    if let Some(question) = open.questions.iter().find(|question| question.request_id == id) {
        return Ok(question);
    }
    let of_call: Vec<&ApprovalRequest> =
        open.questions.iter().filter(|question| question.call.id.as_str() == id).collect();
    let id = display_safe(id);
    let labels = |questions: &[&ApprovalRequest]| {
        one_of(&questions.iter().map(|question| label(question)).collect::<Vec<_>>())
    };
    match of_call.as_slice() {
        [question] => Ok(question),
        [] => anyhow::bail!(
            "run {run} has no question about {id}; it asks about: {}",
            labels(&open.questions.iter().collect::<Vec<_>>())
        ),
        many => anyhow::bail!(
            "{} questions of run {run} are about calls with the id {id}; name the question: {}",
            many.len(),
            labels(many)
        ),
    }
}

/// Returns a short label of a question: its call, tool, agents and id.
fn label(question: &ApprovalRequest) -> String {
    let agents: Vec<String> = question.agents.iter().map(|agent| display_line(agent)).collect();
    let agents = if agents.is_empty() { String::new() } else { format!(" of {}", agents.join(" > ")) };
    format!(
        "{} ({}{agents}, question {})",
        display_line(question.call.id.as_str()),
        display_line(question.tool.as_str()),
        display_line(&question.request_id)
    )
}

fn list(app: &App, run: Option<&str>, full: bool, json: bool) -> anyhow::Result<()> {
    let folders = match run {
        Some(run) => vec![app.find_run(run)?],
        None => app.runs()?,
    };
    let mut count = 0_usize;
    for folder in folders {
        let open = match OpenQuestions::load(&folder) {
            Ok(open) => open,
            // An unreadable run must not hide the others.
            Err(error) => {
                output::note(&format!("run {}: {}", folder.id, one_line(&error)));
                continue;
            }
        };
        if open.is_empty() {
            continue;
        }
        count = count.saturating_add(1);
        let answers = RunAnswers::load(app, &folder, &open)?;
        show(
            RunLabel { id: &folder.id, is_active: folder.read_activity() },
            &open,
            &answers,
            Layout { full, json },
        )?;
    }
    if count == 0 && !json {
        output::print("no run has open questions\n")?;
    }
    Ok(())
}

/// The form in which questions are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// True to print the calls, their effects and their changes.
    pub(crate) full: bool,
    /// True to print a line of JSON for each run.
    pub(crate) json: bool,
}

/// Name of a run above its questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLabel<'a> {
    /// The id of the run.
    pub(crate) id: &'a str,
    /// True if a process works on the run; `None` if that cannot be read.
    pub(crate) is_active: Option<bool>,
}

impl RunLabel<'_> {
    /// Describes the state of a run that has open questions and has not ended.
    fn describe_activity(self) -> &'static str {
        match self.is_active {
            Some(true) => " (works in another process)",
            Some(false) => " (interrupted)",
            None => " (works in another process, or was killed)",
        }
    }
}

/// Prints the open questions of a run.
pub(crate) fn show(
    run: RunLabel<'_>,
    open: &OpenQuestions,
    answers: &RunAnswers,
    layout: Layout,
) -> anyhow::Result<()> {
    if layout.json {
        output::line(&as_json(run, open, answers))
    } else {
        output::print(&in_words(run, open, answers, layout.full))
    }
}

fn in_words(run: RunLabel<'_>, open: &OpenQuestions, answers: &RunAnswers, full: bool) -> String {
    let mut text = format!("{}{}\n", run.id, if open.has_ended { "" } else { run.describe_activity() });
    for question in &open.questions {
        let answer = match answers.approval(&question.request_id) {
            Some(decision) if decision.approved => "approved, ",
            Some(_) => "denied, ",
            None => "",
        };
        let call = display_line(question.call.id.as_str());
        let agents: Vec<String> = question.agents.iter().map(|agent| display_line(agent)).collect();
        let agents = if agents.is_empty() { String::new() } else { format!("{}: ", agents.join(" > ")) };
        let body = if full {
            question.describe_whole().replace('\n', "\n    ")
        } else {
            format!(
                "{} ({} risk): {}",
                display_line(question.tool.as_str()),
                format!("{:?}", question.risk).to_lowercase(),
                display_line(&question.reason.describe())
            )
        };
        let _ = writeln!(text, "  {}  {agents}{call}: {answer}{body}", display_line(&question.request_id));
    }
    for call in &open.results {
        let _ =
            writeln!(text, "  {}: runs elsewhere; the run waits for its result", display_line(call.as_str()));
    }
    if let Some(question) = &open.guidance {
        let _ = writeln!(text, "  ? {}", display_safe(question));
    }
    text
}

fn as_json(run: RunLabel<'_>, open: &OpenQuestions, answers: &RunAnswers) -> Value {
    let questions: Vec<Value> = open
        .questions
        .iter()
        .map(|question| json!({"request": question, "answer": answers.approval(&question.request_id)}))
        .collect();
    json!({
        "run": run.id,
        "is_suspended": open.has_ended,
        "is_active": if open.has_ended { Some(false) } else { run.is_active },
        "approvals": questions,
        "results": open.results,
        "guidance": open.guidance,
    })
}
