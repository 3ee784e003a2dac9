//! `skill`: instructions that a person wrote for one kind of work.

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_redact::Redactor;
use windlass_text::shorten_middle;
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture, run_blocking};
use windlass_tool_args::read_arguments;

use crate::Skills;
use crate::library::read_body;
use crate::skills::Skill;
use crate::spec::spec;

/// The maximum length of a skill's other file in the output, in bytes.
const MAX_SHOWN: usize = 60_000;

/// The tool `skill`, which returns the text of a skill, or another file of it. The tool's description lists
/// the names and purposes; the text is read only on a call.
///
/// The application chooses the folders, like its instructions, and the model cannot name a file outside them.
/// A call therefore declares no effect on files.
#[derive(Debug)]
pub struct SkillTool {
    spec: ToolSpec,
    skills: Skills,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    skill: String,
    #[serde(default)]
    file: Option<String>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"skill":{"type":"string","description":"One of the names above."},
"file":{"type":"string","description":"Another file of the skill, as the skill's own text or its list of files names it. Without it: the skill's text."}
},"required":["skill"],"additionalProperties":false}"#;

impl SkillTool {
    /// Creates the tool for the given skills. Do not offer it without a skill.
    pub fn new(skills: Skills) -> Self {
        let description = format!(
            "Returns instructions that the user or the project has written for one kind of work. Read the \
             matching skill before you begin such work, and follow it.{}",
            skills.list_for_model()
        );
        Self { spec: spec("skill", &description, SCHEMA), skills }
    }
}

impl Tool for SkillTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { skill: name, file } = read_arguments(payload)?;
            let library = &self.skills.library;
            let skill = library.get(&name).ok_or_else(|| library.unknown_error(&name))?.clone();
            let redactor = ctx.redactor().clone();
            run_blocking(ctx, move |_| match file {
                None => text(&name, &skill),
                Some(file) => other(&name, &skill, &file, &redactor),
            })
            .await
        })
    }
}

fn text(name: &str, skill: &Skill) -> Result<Output, ToolError> {
    let body = read_body(name, skill)?;
    let files = match skill.others() {
        Ok(files) if files.is_empty() => String::new(),
        Ok(files) => format!("; its other files, to be read with `file`: {}", files.join(", ")),
        Err(why) => format!("; its other files are not listed: {why}"),
    };
    let label = &skill.file.source.label;
    Ok(Output::text(format!("[skill {name} of the folder {label}{files}]\n{body}")))
}

fn other(name: &str, skill: &Skill, file: &str, redactor: &Redactor) -> Result<Output, ToolError> {
    let Some(folder) = &skill.folder else {
        return Err(ToolError::model(format!("the skill {name} is one file and has no others"))
            .with_advice("Call it without `file`."));
    };
    let told = |why: String| {
        let files = skill.others().unwrap_or_default();
        let files = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
        ToolError::model(format!(
            "`{file}` cannot be read: {why}. The other files of the skill {name}: {files}"
        ))
    };
    // Resolve the name inside the skill's own folder, and read it there.
    let source = &skill.file.source;
    let below = source.workspace.resolve(file).map_err(|error| told(error.to_string()))?;
    let path = folder.join(below.relative());
    let text =
        if below.is_output() { Err("it is not a file of the skill".to_owned()) } else { source.text(&path) };
    let text = text.map_err(told)?;
    // Redact before cutting: a secret that is cut in half is not found.
    let shown = redactor.redact(&text);
    Ok(Output::text(format!("[{file} of the skill {name}]\n{}", shorten_middle(&shown, MAX_SHOWN))))
}
