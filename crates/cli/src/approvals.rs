//! `windlass approvals`: lists the open questions of suspended runs, and stores answers to them, from any
//! process.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_app::runs::{OpenQuestions, RunAnswers, RunFolder, StoredAnswer, store_answer};
use windlass_app::{App, one_line};
use windlass_hitl::{ApprovalRequest, display_safe};

use crate::arguments::{Approvals, ApprovalsCommand, Target};
use crate::{input, output};

pub(crate) fn approvals(arguments: &Approvals, app: &App) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ApprovalsCommand::List { run, full, json } => list(app, run.as_deref(), *full, *json)?,
        ApprovalsCommand::Approve { target, comment } => decide(app, target, comment.as_deref(), true)?,
        ApprovalsCommand::Deny { target, comment } => decide(app, target, comment.as_deref(), false)?,
        ApprovalsCommand::Comment { run, words } => {
            let (folder, open) = waiting(app, run)?;
            anyhow::ensure!(open.guidance.is_some(), "run {run} has no open question about how it continues");
            store_answer(&folder, &StoredAnswer::guidance(&open, words.as_str()))?;
            print_stored(&folder);
        }
        ApprovalsCommand::Result { run, call, text, status } => {
            let (folder, open) = waiting(app, run)?;
            let waits: Vec<&str> = open.results.iter().map(windlass_protocol::CallId::as_str).collect();
            let many = open.results.iter().filter(|id| id.as_str() == call).count();
            anyhow::ensure!(
                many < 2,
                "{many} calls with the id {call} wait for a result in run {run}, so the id does not \
                 identify one of them"
            );
            let call = open.results.iter().find(|id| id.as_str() == call).with_context(|| {
                format!("run {run} does not wait for a result of {call}; it waits for: {}", one_of(&waits))
            })?;
            let text = if text == "-" { input::text("-".as_ref())? } else { text.clone() };
            store_answer(&folder, &StoredAnswer::result(call, status.status(), &text))?;
            print_stored(&folder);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_stored(folder: &RunFolder) {
    let command = if folder.is_workflow() { "windlass workflow run" } else { "windlass run" };
    output::note(&format!("stored; the run receives it with: {command} --resume {}", folder.id));
}

fn one_of<T: std::borrow::Borrow<str>>(names: &[T]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// Finds a run with an open question. Fails if no question is open, or if the run has not ended.
fn waiting(app: &App, run: &str) -> anyhow::Result<(RunFolder, OpenQuestions)> {
    let folder = app.find_run(run)?;
    let open = OpenQuestions::load(&folder)?;
    anyhow::ensure!(!open.is_empty(), "run {run} has no open questions");
    anyhow::ensure!(
        open.has_ended,
        "run {run} is active in another process, or was killed: its questions appear in that process; if \
         the process has ended, continue with windlass run --resume {run}"
    );
    Ok((folder, open))
}

fn decide(app: &App, target: &Target, comment: Option<&str>, approved: bool) -> anyhow::Result<()> {
    let (folder, open) = waiting(app, &target.run)?;
    let mut chosen: Vec<&ApprovalRequest> = Vec::new();
    if target.all {
        chosen.extend(&open.questions);
    }
    for id in &target.ids {
        let question = the_question(&open, &target.run, id)?;
        if !chosen.iter().any(|other| other.request_id == question.request_id) {
            chosen.push(question);
        }
    }
    anyhow::ensure!(!chosen.is_empty(), "run {} has no question about a call", target.run);
    for question in chosen {
        let comment = comment.map(str::to_owned);
        store_answer(&folder, &StoredAnswer::approval(question, approved, comment))?;
        let verb = if approved { "approved" } else { "denied" };
        output::print(&format!("{verb}: {}\n", label(question)))?;
    }
    print_stored(&folder);
    Ok(())
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
    let agents: Vec<String> = question.agents.iter().map(|agent| display_safe(agent)).collect();
    let agents = if agents.is_empty() { String::new() } else { format!(" of {}", agents.join(" > ")) };
    format!(
        "{} ({}{agents}, question {})",
        escape_line(question.call.id.as_str()),
        escape_line(question.tool.as_str()),
        escape_line(&question.request_id)
    )
}

fn escape_line(text: &str) -> String {
    display_safe(text).replace('\n', "\\n")
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
        if json {
            output::line(&as_json(&folder.id, &open, &answers))?;
        } else {
            output::print(&in_words(&folder.id, &open, &answers, full))?;
        }
    }
    if count == 0 && !json {
        output::print("no run has open questions\n")?;
    }
    Ok(())
}

fn in_words(run: &str, open: &OpenQuestions, answers: &RunAnswers, full: bool) -> String {
    let mut text = format!("{run}{}\n", if open.has_ended { "" } else { " (active, or was killed)" });
    for question in &open.questions {
        let answer = match answers.approval(&question.request_id) {
            Some(decision) if decision.approved => "approved, ",
            Some(_) => "denied, ",
            None => "",
        };
        let call = escape_line(question.call.id.as_str());
        let agents: Vec<String> = question.agents.iter().map(|agent| escape_line(agent)).collect();
        let agents = if agents.is_empty() { String::new() } else { format!("{}: ", agents.join(" > ")) };
        let body = if full {
            question.describe_whole().replace('\n', "\n    ")
        } else {
            format!(
                "{} ({:?} risk; rule {})",
                display_safe(question.tool.as_str()),
                question.risk,
                display_safe(&question.reason.rule_id)
            )
        };
        let _ = writeln!(text, "  {}  {agents}{call}: {answer}{body}", escape_line(&question.request_id));
    }
    for call in &open.results {
        let _ =
            writeln!(text, "  {}: runs elsewhere; the run waits for its result", escape_line(call.as_str()));
    }
    if let Some(question) = &open.guidance {
        let _ = writeln!(text, "  ? {}", display_safe(question));
    }
    text
}

fn as_json(run: &str, open: &OpenQuestions, answers: &RunAnswers) -> Value {
    let questions: Vec<Value> = open
        .questions
        .iter()
        .map(|question| json!({"request": question, "answer": answers.approval(&question.request_id)}))
        .collect();
    json!({
        "run": run,
        "is_suspended": open.has_ended,
        "approvals": questions,
        "results": open.results,
        "guidance": open.guidance,
    })
}
