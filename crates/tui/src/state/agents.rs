//! The sub-agents of a session, for `/agents`.

use ratatui_core::text::{Line, Span};
use windlass_app::feed::{FeedEvent, FeedKind, RunOutcome, Tokens};
use windlass_screen::{RenderOptions, Role, escape_line, format_count, wrap_line};
use windlass_text::count_noun;

/// Maximum number of sub-agents that are stored.
const MAX_AGENTS: usize = 200;

/// Sub-agent of the session.
#[derive(Clone, Debug)]
struct AgentRow {
    /// Id of the root's call that started the first agent of the path.
    call: String,
    names: Vec<String>,
    state: String,
    turns: u32,
    total: Tokens,
}

/// The sub-agents of a session, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentList {
    rows: Vec<AgentRow>,
}

impl AgentList {
    /// Follows an event of the feed.
    pub(super) fn apply(&mut self, event: &FeedEvent) {
        let Some(agent) = &event.agent else {
            // A sub-agent cannot work longer than its run.
            if let FeedKind::RunEnded { .. } = &event.kind {
                let working = self.rows.iter_mut().filter(|row| row.state == WORKING);
                working.for_each(|row| "stopped".clone_into(&mut row.state));
            }
            return;
        };
        let place = self.rows.iter().position(|row| row.call == agent.call && row.names == agent.names);
        let place = match place {
            Some(place) => place,
            None if self.rows.len() >= MAX_AGENTS => return,
            None => {
                let (call, names) = (agent.call.clone(), agent.names.clone());
                let (state, total) = (WORKING.to_owned(), Tokens::default());
                self.rows.push(AgentRow { call, names, state, turns: 0, total });
                self.rows.len().saturating_sub(1)
            }
        };
        let Some(row) = self.rows.get_mut(place) else { return };
        match &event.kind {
            FeedKind::TurnStarted { turn } => row.turns = *turn,
            FeedKind::TurnEnded { turn, total, .. } => (row.turns, row.total) = (*turn, *total),
            FeedKind::QuestionOpened { .. } => "asks".clone_into(&mut row.state),
            FeedKind::QuestionClosed { .. } => WORKING.clone_into(&mut row.state),
            FeedKind::RunEnded { outcome, total } => {
                row.total = *total;
                row.state = match outcome {
                    RunOutcome::Completed { .. } => "done".to_owned(),
                    RunOutcome::Stopped { cause } => format!("stopped: {}", cause.replace('_', " ")),
                    RunOutcome::Suspended { .. } => "waits for answers".to_owned(),
                    _ => "failed".to_owned(),
                };
            }
            _ => {}
        }
    }

    /// Renders the sub-agents as a tree; no lines if none has worked.
    pub(super) fn render(&self, options: &RenderOptions) -> Vec<Line<'static>> {
        let span = |role, text: String| Span::styled(text, options.theme.style(role));
        let mut lines = Vec::new();
        for row in &self.rows {
            let depth = row.names.len().saturating_sub(1);
            let name = row.names.last().map(|name| escape_line(name)).unwrap_or_default();
            let mut details = format!(" · {} · {}", escape_line(&row.state), count_noun(row.turns, "turn"));
            if row.total.input > 0 {
                let (input, output) = (format_count(row.total.input), format_count(row.total.output));
                details = format!("{details} · {input} in, {output} out");
            }
            let line = Line::from(vec![
                Span::raw("  ".repeat(depth.saturating_add(1))),
                span(Role::Call, name),
                span(Role::Faint, details),
            ]);
            let indent = Line::from("  ".repeat(depth.saturating_add(2)));
            lines.extend(wrap_line(&line, options.columns, &indent));
        }
        lines
    }
}

/// State of a sub-agent without an end.
const WORKING: &str = "works";
