//! The MCP servers and the policy, for `/mcp` and `/policy`.

use std::fmt::Write as _;

use windlass_app::mcp::{ServerOwner, describe_command, is_learning_enabled, load_servers};
use windlass_app::policies::{LessonFile, list_policy_files, load_policy};
use windlass_app::{AppError, ErrorKind};
use windlass_hitl::Source;
use windlass_screen::escape_line;

use super::listing::now_ms;
use super::parts::Parts;
use crate::action::Topic;
use crate::input::Reply;

/// Describes a part of the configuration.
pub(super) fn describe(parts: &Parts, topic: Topic) -> Result<Reply, AppError> {
    let text = match topic {
        Topic::Servers => describe_servers(parts)?,
        Topic::Policy => describe_policy(parts)?,
    };
    Ok(Reply::Notice(text.trim_end().to_owned()))
}

fn describe_servers(parts: &Parts) -> Result<String, AppError> {
    let mut text = String::new();
    for server in load_servers(parts.host.sessions().app(), &parts.root)? {
        let state = match (server.entry.enabled, server.is_trusted(), server.entry.required) {
            (false, ..) => "disabled".to_owned(),
            (true, false, _) => {
                format!("not trusted; look at it with: windlass mcp trust {}", escape_line(&server.name))
            }
            (true, true, true) => "required".to_owned(),
            (true, true, false) => "enabled".to_owned(),
        };
        let owner = if server.owner == ServerOwner::User { "yours" } else { "the project's" };
        let (name, command) = (escape_line(&server.name), describe_command(&server.entry));
        let _ = writeln!(text, "{name} ({owner}): {state}\n    {command}");
    }
    if text.is_empty() {
        text.push_str("no MCP server is configured here");
    }
    Ok(text)
}

fn describe_policy(parts: &Parts) -> Result<String, AppError> {
    let (app, named) = (parts.host.sessions().app(), parts.policy.as_deref());
    let policy = load_policy(app, &parts.root, named)?;
    let mut text = String::new();
    let files = list_policy_files(app, &parts.root, named);
    for file in &files {
        let _ = writeln!(text, "policy file ({}): {}", name_source(file.source), file.file.display());
    }
    if files.is_empty() {
        text.push_str("policy files: none, so the built-in rules decide\n");
    }
    for (id, source) in policy.ids().filter(|(_, source)| *source != Source::Builtin) {
        let _ = writeln!(text, "rule {} ({})", escape_line(id), name_source(source));
    }
    for warning in policy.warnings() {
        let _ = writeln!(text, "warning: {warning}");
    }
    describe_lessons(parts, &LessonFile::new(app, &parts.root, &policy)?, &mut text)?;
    text.push_str("windlass policy explain shows the decision about a call");
    Ok(text)
}

fn name_source(source: Source) -> &'static str {
    match source {
        Source::Builtin => "built in",
        Source::Admin => "the machine's",
        Source::User => "yours",
        Source::Project => "the project's",
        _ => "other",
    }
}

fn describe_lessons(parts: &Parts, file: &LessonFile, text: &mut String) -> Result<(), AppError> {
    let (learned, now) = (file.load()?, now_ms());
    let is_on = is_learning_enabled(parts.host.sessions().app())?;
    let state = if is_on { "on" } else { "off; learning.enabled = true in config.toml switches it on" };
    let _ = writeln!(text, "learning from your answers: {state}");
    for (id, lesson) in learned.entries() {
        let state = if lesson.is_active(now) { "runs without a question" } else { "asks" };
        let words = escape_line(&lesson.describe());
        let (approvals, total) = (lesson.approvals, lesson.total);
        let _ = writeln!(text, "learned {id}: {words}: {state}; {approvals} of {total} approved");
    }
    Ok(())
}

/// Revokes a learned permission.
pub(super) fn revoke(parts: &Parts, id: &str) -> Result<Reply, AppError> {
    let app = parts.host.sessions().app();
    let policy = load_policy(app, &parts.root, parts.policy.as_deref())?;
    let (_, is_revoked) = LessonFile::new(app, &parts.root, &policy)?.update(|learned| learned.revoke(id))?;
    if is_revoked {
        return Ok(Reply::Notice(format!("such calls need approval again, from the next task on: {id}")));
    }
    Err(AppError::new(
        ErrorKind::NotFound,
        format!("no learned permission has the id {id}; /policy lists them"),
    ))
}
