//! Starts the hooks of an event, and combines their answers.

use std::path::PathBuf;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};

use super::answer::HookAnswer;
use super::definition::{HookDefinition, HookEvent};
use super::process::HookShells;
use super::tool_view::ToolView;
use crate::notices::Notices;

/// Facts about the run of hooks.
#[derive(Clone, Debug)]
pub(crate) struct HookRun {
    pub(crate) root: PathBuf,
    /// Id of the session.
    pub(crate) session: Option<String>,
    /// Path of the run's record.
    pub(crate) transcript: Option<PathBuf>,
    /// Source of the session: `startup` or `resume`.
    pub(crate) source: &'static str,
    /// Name of the autonomy as the documentation writes it.
    pub(crate) permission_mode: &'static str,
    pub(crate) model: String,
    /// True if a plain answer does not end the task.
    pub(crate) until_done: bool,
}

/// The hooks of a run, with everything that their start needs.
#[derive(Debug)]
pub(super) struct HookRunner {
    pub(super) hooks: Vec<HookDefinition>,
    pub(super) shells: HookShells,
    pub(super) run: HookRun,
    pub(super) notices: Notices,
}

impl HookRunner {
    /// Starts the hooks of an event at the same time, and combines their answers. `name` is compared with the matchers.
    pub(super) async fn start(
        &self,
        event: HookEvent,
        run: Option<&str>,
        name: &str,
        fields: Value,
    ) -> HookAnswer {
        let input = self.input(event, run, fields);
        let matching = self.hooks.iter().filter(|hook| hook.event == event && hook.matcher.matches(name));
        let matching: Vec<(&HookDefinition, usize, &str)> =
            matching.map(|hook| (hook, 0, input.as_str())).collect();
        self.run_all(&matching).await
    }

    /// Starts the hooks of a call with the views that they match.
    pub(super) async fn start_for_call(
        &self,
        event: HookEvent,
        run: &str,
        views: &[ToolView],
        fields: impl Fn(&ToolView) -> Value,
    ) -> HookAnswer {
        let inputs: Vec<String> =
            views.iter().map(|view| self.input(event, Some(run), fields(view))).collect();
        let mut matching = Vec::new();
        for hook in self.hooks.iter().filter(|hook| hook.event == event) {
            for (number, (view, input)) in views.iter().zip(&inputs).enumerate() {
                let is_filtered =
                    hook.filter.as_ref().is_some_and(|filter| !filter.matches(&view.name, view.subject()));
                if hook.matcher.matches(&view.name) && !is_filtered {
                    matching.push((hook, number, input.as_str()));
                }
            }
        }
        self.run_all(&matching).await
    }

    /// Runs hooks at the same time. A command that several groups name runs once for each input.
    async fn run_all(&self, matching: &[(&HookDefinition, usize, &str)]) -> HookAnswer {
        let mut distinct: Vec<(&HookDefinition, usize, &str)> = Vec::new();
        for (hook, view, input) in matching {
            let is_known = distinct.iter().any(|(known, number, _)| {
                number == view && known.argv() == hook.argv() && known.owner == hook.owner
            });
            if !is_known {
                distinct.push((hook, *view, input));
            }
        }
        let ends = distinct.iter().map(|(hook, _, input)| self.shells.run(hook, input, &self.run.root));
        let mut answer = HookAnswer::default();
        for ((hook, view, _), end) in distinct.iter().zip(join_all(ends).await) {
            answer.add(hook, *view, end);
        }
        answer
    }

    /// Returns the JSON text that a hook reads.
    fn input(&self, event: HookEvent, run: Option<&str>, fields: Value) -> String {
        let session = self.run.session.as_deref().or(run).unwrap_or_default();
        let mut input = Map::new();
        input.insert("session_id".to_owned(), json!(session));
        let transcript = self.run.transcript.as_ref().map(|path| path.to_string_lossy().into_owned());
        input.insert("transcript_path".to_owned(), json!(transcript.unwrap_or_default()));
        input.insert("cwd".to_owned(), json!(self.run.root.to_string_lossy()));
        input.insert("permission_mode".to_owned(), json!(self.run.permission_mode));
        input.insert("hook_event_name".to_owned(), json!(event.as_str()));
        if let Value::Object(fields) = fields {
            input.extend(fields);
        }
        Value::Object(input).to_string()
    }

    /// Reports the messages of hooks.
    pub(super) fn report(&self, answer: &HookAnswer) {
        for message in &answer.messages {
            self.notices.warn(message.clone());
        }
    }

    /// Returns true if a hook waits for the event.
    pub(super) fn has(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }

    /// Reports a refusal that cannot prevent anything.
    pub(super) fn report_refusal(&self, answer: &HookAnswer) {
        if let Some(reason) = answer.refusal() {
            self.notices.warn(reason);
        }
    }
}
