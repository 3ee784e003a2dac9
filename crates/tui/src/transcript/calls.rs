//! The calls of the present turn, until their results arrive.

use std::time::Duration;

use ratatui_core::text::{Line, Span};
use serde_json::Value;
use windlass_app::feed::{AgentPath, FeedKind};
use windlass_screen::{CallState, CallView, RenderOptions, Role, describe_rule, escape_line, render_text};

use super::HIDDEN_TOOLS;

/// Lines of one live call.
const CALL_ROWS: usize = 8;
/// Maximum number of calls that are displayed while they work.
const MAX_VIEWS: usize = 4;
/// Maximum number of calls without a result.
const MAX_CALLS: usize = 1_000;

/// A call without a result.
#[derive(Debug)]
struct LiveCall {
    id: String,
    /// Names of the agents of a sub-agent's call.
    agents: Vec<String>,
    view: CallView,
    /// The time at which it began to run.
    started: Option<Duration>,
}

/// The calls without a result.
#[derive(Debug, Default)]
pub(super) struct LiveCalls {
    calls: Vec<LiveCall>,
}

impl LiveCalls {
    pub(super) fn has_running(&self) -> bool {
        self.calls.iter().any(|call| *call.view.state() == CallState::Running)
    }

    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }

    /// Returns the live lines, at most `rows`.
    pub(super) fn live(&self, rows: usize, now: Duration, options: &RenderOptions) -> Vec<Line<'static>> {
        let shown: Vec<&LiveCall> = self.calls.iter().filter(|call| is_visible(call.view.tool())).collect();
        let mut lines = Vec::new();
        for call in shown.iter().take(MAX_VIEWS) {
            let rest = rows.saturating_sub(lines.len()).min(CALL_ROWS);
            if rest == 0 {
                break;
            }
            let elapsed = call.started.map(|started| now.saturating_sub(started));
            // Tenths of a second would change in every frame.
            let elapsed = elapsed.map(|elapsed| Duration::from_secs(elapsed.as_secs()));
            let rendered = call.view.render_live(rest, elapsed.filter(|elapsed| !elapsed.is_zero()), options);
            lines.extend(with_agents(&call.agents, rendered, options));
        }
        let hidden = shown.len().saturating_sub(MAX_VIEWS);
        if hidden > 0 && lines.len() < rows {
            lines.extend(render_text(&format!("  … {hidden} more calls"), Role::Faint, options));
        }
        lines
    }

    /// Records that a person did not allow a call.
    pub(super) fn deny(&mut self, call: &str, reason: &str) {
        if let Some(call) = self.find(call) {
            call.view.set_state(CallState::Denied { rule: String::new(), reason: reason.to_owned() });
        }
    }

    fn find(&mut self, id: &str) -> Option<&mut LiveCall> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    fn open(&mut self, id: &str, tool: &str, agents: &[String]) -> Option<&mut LiveCall> {
        if self.find(id).is_none() {
            if self.calls.len() >= MAX_CALLS {
                return None;
            }
            let (id, agents) = (id.to_owned(), agents.to_vec());
            self.calls.push(LiveCall { id, agents, view: CallView::new(tool), started: None });
        }
        self.find(id)
    }

    /// Applies an event of a sub-agent. Returns the lines of a call that ended.
    pub(super) fn apply_child(
        &mut self,
        agent: &AgentPath,
        kind: &FeedKind,
        now: Duration,
        options: &RenderOptions,
    ) -> Option<Vec<Line<'static>>> {
        // The calls of a sub-agent are shown when they begin to run and when they end.
        if let FeedKind::Call { call, tool, .. } = kind {
            self.open(call, tool, &agent.names);
        }
        match kind {
            FeedKind::CallStarted { .. } | FeedKind::TurnStarted { .. } | FeedKind::TurnEnded { .. } => None,
            _ => self.apply(kind, now, options).map(|mut lines| {
                lines.truncate(1);
                lines
            }),
        }
    }

    /// Applies an event. Returns the lines of a call that ended.
    pub(super) fn apply(
        &mut self,
        kind: &FeedKind,
        now: Duration,
        options: &RenderOptions,
    ) -> Option<Vec<Line<'static>>> {
        match kind {
            FeedKind::CallStarted { call, tool } => {
                self.open(call, tool, &[]);
            }
            FeedKind::ArgumentsDelta { call, offset, text, .. } => {
                let call = self.find(call)?;
                if *offset == 0 {
                    call.view = CallView::new(call.view.tool());
                }
                call.view.push_arguments(text);
            }
            FeedKind::CallNote { call, text } => {
                let view = &mut self.find(call)?.view;
                // While the arguments arrive, the remarks are previews of the view itself.
                if *view.state() != CallState::Writing {
                    view.push_note(text);
                }
            }
            FeedKind::Call { call, tool, arguments, .. } => {
                self.open(call, tool, &[])?.view.set_arguments(arguments);
            }
            FeedKind::Decision { call, verdict, rule, source, reason, .. } if verdict == "deny" => {
                let (rule, reason) = (describe_rule(rule, source).unwrap_or_default(), reason.clone());
                self.find(call)?.view.set_state(CallState::Denied { rule, reason });
            }
            FeedKind::CallRunning { call } => {
                let call = self.find(call)?;
                call.started = Some(now);
                call.view.set_state(CallState::Running);
            }
            FeedKind::CallDeferred { call } => self.find(call)?.view.set_state(CallState::Deferred),
            FeedKind::CallOutput { call, text, left_out, .. } => {
                let view = &mut self.find(call)?.view;
                if *left_out > 0 {
                    view.push_output(&format!("[{left_out} bytes left out]\n"));
                }
                view.push_output(text);
            }
            // The streamed calls of the failed attempt are void.
            FeedKind::Retry { .. } => self.calls.retain(|call| *call.view.state() != CallState::Writing),
            FeedKind::Result { call, status, text, images } => {
                return self.end(call, status, text, *images, now, options);
            }
            _ => {}
        }
        None
    }

    fn end(
        &mut self,
        id: &str,
        status: &str,
        text: &str,
        images: u32,
        now: Duration,
        options: &RenderOptions,
    ) -> Option<Vec<Line<'static>>> {
        let at = self.calls.iter().position(|call| call.id == id)?;
        let mut call = self.calls.remove(at);
        if !is_visible(call.view.tool()) {
            return None;
        }
        if !matches!(call.view.state(), CallState::Denied { .. }) {
            let mut text = text.to_owned();
            if let Some((arguments, result)) = split_edit(&text) {
                call.view.set_arguments(&arguments);
                text = format!("[a person changed the arguments]\n{result}");
            }
            let status = status.to_owned();
            call.view.set_state(CallState::Ended { status, text, images });
        }
        let elapsed = call.started.map(|started| now.saturating_sub(started));
        // A stored conversation is read within milliseconds, so its times are not those of its calls.
        let elapsed = elapsed.filter(|elapsed| elapsed.as_millis() >= 50);
        Some(with_agents(&call.agents, call.view.render(elapsed, options), options))
    }
}

/// Divides the result of a changed call into the arguments and the result itself. Only the model needs the
/// sentences around them.
fn split_edit(text: &str) -> Option<(Value, &str)> {
    let rest = text.strip_prefix("The human changed the arguments of this call to ")?;
    let (arguments, result) = rest.split_once("\nThe result of the changed call:")?;
    Some((serde_json::from_str(arguments.trim()).ok()?, result.trim_start_matches('\n')))
}

fn is_visible(tool: &str) -> bool {
    !HIDDEN_TOOLS.contains(&tool)
}

/// Puts the names of the agents before the first line.
fn with_agents(
    agents: &[String],
    mut lines: Vec<Line<'static>>,
    options: &RenderOptions,
) -> Vec<Line<'static>> {
    if let (false, Some(first)) = (agents.is_empty(), lines.first_mut()) {
        let names = escape_line(&agents.join(" › "));
        first.spans.insert(0, Span::styled(format!("{names}: "), options.theme.style(Role::Faint)));
    }
    lines
}
