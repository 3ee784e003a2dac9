//! The lines below the scrollback: live texts and calls, the question, the composer, the status.

use std::time::Duration;

use ratatui_core::text::{Line, Span};
use windlass_app::feed::Question;
use windlass_screen::{
    CardLimits, QueuePosition, RenderOptions, RenderedCard, Role, cut, escape_line, format_duration,
    render_text, text_width,
};
use windlass_text::count_noun;

use super::review::Review;
use super::{Phase, State, StopRequest};

/// Signs of a run that works, one after the other.
const SIGNS: [&str; 4] = ["◐", "◓", "◑", "◒"];
/// Rows of the composer and of a picker.
const COMPOSER_ROWS: usize = 10;
const PICKER_ROWS: usize = 12;
/// Rows of a hint on a narrow terminal.
const HINT_ROWS: usize = 3;
/// Rows that stay for a question on a small terminal.
const MIN_CARD_ROWS: usize = 6;

/// Time without an event of the run after which the wait is shown.
const SILENCE: Duration = Duration::from_secs(10);

/// Lines below the scrollback, with the caret.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    /// The lines, at most as many as the terminal has rows.
    pub(crate) lines: Vec<Line<'static>>,
    /// Row and column of the caret.
    pub(crate) caret: (usize, usize),
}

impl State {
    /// Returns the view at a time.
    pub(crate) fn view(&self, now: Duration) -> View {
        let options = self.canvas.render_options();
        let rows = self.canvas.rows.max(4);
        let (below, caret) = self.composer_lines(rows, &options);
        let mut above = Vec::new();
        let room = rows.saturating_sub(below.len());
        let activity = self.activity(now, &options);
        let question = self.question_lines(room.saturating_sub(2).max(MIN_CARD_ROWS), &options);
        let used = question.len().saturating_add(activity.len());
        let live = room.saturating_sub(used).saturating_sub(1);
        above.extend(self.transcript.live(live.min(rows / 2), now));
        above.extend(activity);
        let has_question = !question.is_empty();
        above.extend(question);
        if has_question && above.len().saturating_add(1) < room {
            above.push(Line::default());
        }
        // A paragraph that grows begins with the empty line that separates it from the one before.
        let is_separated = above.first().is_some_and(|line| line.width() == 0);
        if !is_separated && (!above.is_empty() || !self.transcript.is_empty()) {
            above.insert(0, Line::default());
        }
        let hidden = above.len().saturating_sub(room);
        above.drain(..hidden);
        let caret = (above.len().saturating_add(caret.0), caret.1);
        above.extend(below);
        View { lines: above, caret }
    }

    /// Returns the last view, which stays on the terminal.
    pub(crate) fn farewell(&self) -> View {
        let options = self.canvas.render_options();
        let words = if self.is_working() { "stopping the run; a key ends the program at once" } else { "" };
        View { lines: render_text(words, Role::Faint, &options), caret: (0, 0) }
    }

    fn activity(&self, now: Duration, options: &RenderOptions) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if self.is_working() && self.cards.is_empty() {
            lines.push(self.activity_line(now, options));
        }
        for text in self.transcript.queue().iter().take(3) {
            let text = cut(&escape_line(text), options.columns.saturating_sub(10));
            lines.extend(render_text(&format!("queued: {text}"), Role::Faint, options));
        }
        lines
    }

    /// Returns the time since the newest event, if the run waits for the model and not for a call.
    fn silence(&self, now: Duration) -> Duration {
        if self.transcript.has_running_call() {
            return Duration::ZERO;
        }
        now.saturating_sub(self.newest_event)
    }

    fn activity_line(&self, now: Duration, options: &RenderOptions) -> Line<'static> {
        let elapsed = now.saturating_sub(self.working_since);
        let sign = usize::try_from(elapsed.as_millis() / 250).unwrap_or(0) % SIGNS.len();
        let sign = SIGNS.get(sign).copied().unwrap_or_default();
        let time = format_duration(Duration::from_secs(elapsed.as_secs()));
        let retry = self.retry.as_ref().filter(|(end, _)| *end > now);
        let words = match (retry, self.phase, self.stop) {
            (_, _, StopRequest::AfterCall) => "stops after the running call; Esc: stop now".to_owned(),
            (_, _, StopRequest::Now) => "stopping".to_owned(),
            (Some((end, reason)), ..) => {
                let left = end.saturating_sub(now).as_millis().div_ceil(1_000);
                format!("waits {left}s (Esc: stop): {}", escape_line(reason))
            }
            (None, Phase::Starting, _) => "starting".to_owned(),
            _ if self.silence(now) >= SILENCE => {
                let silence = format_duration(Duration::from_secs(self.silence(now).as_secs()));
                format!("turn {} · nothing from the model for {silence} · Esc: stop", self.turn)
            }
            _ if self.turn > 0 => format!("turn {} · Esc: stop", self.turn),
            _ => "Esc: stop".to_owned(),
        };
        let time = time.trim_end_matches(".0s");
        let time = if time.ends_with(['s', 'm']) { time.to_owned() } else { format!("{time}s") };
        let text = cut(&format!("{sign} {time} · {words}"), options.columns);
        Line::from(Span::styled(text, options.theme.style(Role::Faint)))
    }

    /// Renders the first card for a number of rows. If it does not fit, parts are folded, and it cannot be remembered
    /// unless the whole card was printed.
    pub(super) fn render_card(&self, rows: usize) -> Option<RenderedCard> {
        let open = self.cards.first()?;
        let options = self.canvas.render_options();
        let rows = rows.min(self.card_rows());
        if let Some(Review::Rule { card, .. }) = &open.review {
            let whole = card.render(usize::MAX, &options);
            return Some(if open.is_printed { whole } else { card.render(rows, &options) });
        }
        let card = open.visible_card()?;
        let total = self.cards.len();
        let position = (total > 1).then(|| QueuePosition::new(1, total));
        if open.is_printed {
            let limits = CardLimits::default().with_diff_lines(4).with_whole_copy();
            return Some(card.render(position, limits, &options));
        }
        let limits = [16, 8, 4, 2].map(|lines| CardLimits::default().with_diff_lines(lines));
        let mut rendered = limits.into_iter().map(|limits| card.render(position, limits, &options));
        let smallest = rendered.find(|rendered| rendered.lines.len() <= rows);
        if smallest.is_some() {
            return smallest;
        }
        let mut card = card.clone();
        card.can_remember = false;
        card.answers.retain(|answer| !answer.is_remembered());
        let mut rendered = card.render(position, CardLimits::default().with_diff_lines(2), &options);
        rendered.shows_all = false;
        Some(rendered)
    }

    /// Returns the number of rows that a card can have.
    fn card_rows(&self) -> usize {
        self.canvas.rows.saturating_sub(5).max(MIN_CARD_ROWS)
    }

    fn question_lines(&self, rows: usize, options: &RenderOptions) -> Vec<Line<'static>> {
        let Some(open) = self.cards.first() else { return Vec::new() };
        let style = |role| options.theme.style(role);
        let mut lines = match &open.question {
            Question::Words { text, suggestions } => {
                let mut lines = render_text(&format!("? {text}"), Role::Question, options);
                for (at, suggestion) in suggestions.iter().take(9).enumerate() {
                    let row = format!("  {}: {suggestion}", at.saturating_add(1));
                    lines.extend(render_text(&row, Role::Words, options));
                }
                lines
            }
            Question::Guidance { text } => render_text(&format!("? {text}"), Role::Question, options),
            _ => self.render_card(rows).map(|card| card.lines).unwrap_or_default(),
        };
        // The header and the answers stay.
        if lines.len() > rows {
            let head = rows.saturating_sub(5);
            let tail = lines.len().saturating_sub(4);
            let hidden = tail.saturating_sub(head);
            let place = if open.is_printed { "the copy above has everything" } else { "d shows everything" };
            let words = format!("  … {}; {place}", count_noun(hidden, "more line"));
            lines.splice(head..tail, [Line::from(Span::styled(words, style(Role::Warning)))]);
        }
        if self.comment_for.is_some() {
            let words = "no: write a comment, or only press Enter; Esc: back";
            lines.extend(render_indented(words, Role::Question, options));
        } else if open.card.is_some() && !self.composer.is_empty() {
            let words = "Tab: answer the question; the text stays";
            lines.extend(render_indented(words, Role::Question, options));
        }
        lines
    }

    /// Returns the composer with the lines below it, and the caret in it.
    fn composer_lines(&self, rows: usize, options: &RenderOptions) -> (Vec<Line<'static>>, (usize, usize)) {
        let style = |role| options.theme.style(role);
        if let Some(picker) = &self.picker {
            let room = rows.saturating_sub(3).clamp(1, PICKER_ROWS);
            let first = picker.chosen.saturating_sub(room.saturating_sub(1));
            let mut lines = vec![Line::from(Span::styled(
                "Choose a session: Up, Down, Enter; Esc: back",
                style(Role::Question),
            ))];
            for (at, choice) in picker.choices.iter().enumerate().skip(first).take(room) {
                let is_chosen = at == picker.chosen;
                let mark = if is_chosen { "› " } else { "  " };
                let role = if is_chosen { Role::Strong } else { Role::Words };
                let name = cut(&escape_line(&choice.name), options.columns.saturating_sub(4).min(50));
                let room = options.columns.saturating_sub(text_width(&name)).saturating_sub(4);
                lines.push(Line::from(vec![
                    Span::styled(format!("{mark}{name}"), style(role)),
                    Span::styled(
                        format!("  {}", cut(&escape_line(&choice.details), room)),
                        style(Role::Faint),
                    ),
                ]));
            }
            let caret = (picker.chosen.saturating_sub(first).saturating_add(1), 0);
            return (lines, caret);
        }
        let layout =
            self.composer.lay_out(options.columns.saturating_sub(2), COMPOSER_ROWS.min((rows / 3).max(1)));
        let mut lines = Vec::new();
        for (at, row) in layout.rows.iter().enumerate() {
            let mark = if at == 0 && layout.above == 0 { self.prompt() } else { "  " };
            let mut spans = vec![Span::styled(mark, style(Role::User)), Span::raw(row.clone())];
            if self.composer.is_empty() {
                spans.push(Span::styled(
                    cut(self.placeholder(), options.columns.saturating_sub(2)),
                    style(Role::Faint),
                ));
            }
            lines.push(Line::from(spans));
        }
        let caret = (layout.caret.0, layout.caret.1.saturating_add(2));
        for (at, offer) in self.offers().into_iter().enumerate() {
            let role = if at == self.offer { Role::Strong } else { Role::Words };
            let text = cut(&format!("  {:<14}", escape_line(&offer.text)), options.columns);
            let room = options.columns.saturating_sub(text_width(&text)).saturating_sub(1);
            lines.push(Line::from(vec![
                Span::styled(text, style(role)),
                Span::styled(format!(" {}", cut(&offer.hint, room)), style(Role::Faint)),
            ]));
        }
        match &self.hint {
            Some(hint) => {
                lines.extend(
                    render_text(&escape_line(hint), Role::Warning, options).into_iter().take(HINT_ROWS),
                );
            }
            None => lines.push(self.status_line(options)),
        }
        (lines, caret)
    }

    fn status_line(&self, options: &RenderOptions) -> Line<'static> {
        let mut status = self.status.clone();
        self.changes.show_in(&mut status);
        status.questions = self.cards.len();
        status.render(options)
    }

    fn prompt(&self) -> &'static str {
        match self.cards.first() {
            Some(card) if card.card.is_none() => "? ",
            _ => "› ",
        }
    }

    fn placeholder(&self) -> &'static str {
        if self.comment_for.is_some() {
            "comment for the model"
        } else if let Some(card) = self.cards.first() {
            match (card.card.is_some(), card.guard.is_armed()) {
                (true, true) => "press a key of the question",
                (true, false) => "",
                (false, _) => "your answer, or the number of one",
            }
        } else if self.is_working() {
            "add something: Enter sends it now, Tab after the task"
        } else {
            "describe a task; /help lists the commands"
        }
    }
}

/// Renders a text two columns to the right, wrapped to the width.
fn render_indented(text: &str, role: Role, options: &RenderOptions) -> Vec<Line<'static>> {
    let mut lines =
        render_text(text, role, &RenderOptions::new(options.columns.saturating_sub(2), options.theme));
    for line in &mut lines {
        line.spans.insert(0, Span::raw("  "));
    }
    lines
}
