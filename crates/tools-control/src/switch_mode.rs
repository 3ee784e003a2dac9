//! `switch_mode`: the model changes the mode of its work.

use std::fmt::Write as _;

use serde::Deserialize;
use windlass_protocol::{Concurrency, Control, Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;
use windlass_toolbox::WorkModes;

use crate::spec::spec;

/// The tool `switch_mode`, which changes the mode of the run for the following calls and answers.
///
/// The tool only returns the new mode. The caller of the tool applies it (`Control::ModeSwitch`), so a
/// replayed call changes the mode too. A mode grants no permission: policy still decides about each call. A
/// call therefore needs an approval only if a rule for `switch_mode` requires it.
///
/// ```
/// use windlass_tool::Tool;
/// use windlass_toolbox::WorkModes;
/// use windlass_tools_control::SwitchMode;
/// let tool = SwitchMode::new(WorkModes::builtin());
/// assert!(tool.spec().description().contains("- debug: When something fails"));
/// ```
#[derive(Debug)]
pub struct SwitchMode {
    spec: ToolSpec,
    modes: WorkModes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    mode_slug: String,
    #[serde(default)]
    reason: Option<String>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"mode_slug":{"type":"string","description":"The mode to change into."},"reason":{"type":"string","description":"The reason, in a few words."}},"required":["mode_slug"],"additionalProperties":false}"#;

impl SwitchMode {
    /// Creates the tool for the given modes.
    pub fn new(modes: WorkModes) -> Self {
        let mut text = "Changes the mode, which decides what kind of work you do and which tools you have. The tools of \
            the new mode are offered from your next answer on. The modes:"
            .to_owned();
        for mode in modes.iter() {
            let when = if mode.when_to_use.is_empty() { &mode.name } else { &mode.when_to_use };
            let _ = write!(text, "\n- {}: {when}", mode.slug);
        }
        Self { spec: spec("switch_mode", &text, SCHEMA), modes }
    }
}

impl Tool for SwitchMode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        // The call changes nothing outside the run, and repeating it has no further effect.
        let alone = Concurrency::Exclusive;
        Hints { control: Control::ModeSwitch, concurrency: alone, ..Hints::read_only() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { mode_slug, reason } = read_arguments(payload)?;
            let mode = self.modes.find(&mode_slug).map_err(|error| ToolError::model(error.to_string()))?;
            let because = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            let mut text = format!("The mode is now {} ({}){because}. {}", mode.name, mode.slug, mode.role);
            for (group, files) in mode.groups() {
                if let Some(files) = files {
                    let _ = write!(text, "\nThe tools of the group {group} touch only {files}.");
                }
            }
            Ok(Output::text(text))
        })
    }
}
