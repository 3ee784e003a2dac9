//! The tool `execute_code`: runs a piece of code in an interpreter, without access to the rest of the
//! machine.

use serde::Deserialize;
use windlass_protocol::{Containment, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_sandbox::Level;
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::command::limit;
use crate::launch::Launch;
use crate::page::PAGE_BYTES;
use crate::running::Bounds;
use crate::site::{Waiting, attend, prepare, spec, start};
use crate::{Processes, Shell};

const DESCRIPTION: &str = "Runs a piece of code and returns its output. It runs in an empty temporary \
                           folder, without access to the workspace or a network. Use it to compute; to work \
                           on files use the tools for \
    that.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"language":{"type":"string","enum":["python","javascript"],"description":"The language of the code."},
"code":{"type":"string","description":"The code. Print what you want to know."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"When to stop it, in milliseconds. Default 120000."}
},"required":["language","code"],"additionalProperties":false}"#;

/// The tool `execute_code`. It refuses every level weaker than [`Level::Bubblewrap`], because nothing would
/// then separate the code from the machine.
#[derive(Debug)]
pub struct ExecuteCode {
    shell: Shell,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeArguments {
    language: Language,
    code: String,
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Language {
    Python,
    Javascript,
}

impl Language {
    /// Returns the program, its arguments before the file, and the name of the file.
    fn interpreter(self) -> (&'static str, &'static [&'static str], &'static str) {
        match self {
            // Isolated mode: ignores environment variables, the user's packages, and modules in the script's
            // folder.
            Self::Python => ("python3", &["-I", "-B"], "main.py"),
            Self::Javascript => ("node", &[], "main.js"),
        }
    }
}

impl ExecuteCode {
    /// Creates the tool with the confinement of the shell.
    pub fn new(shell: Shell) -> Self {
        Self { shell, spec: spec("execute_code", DESCRIPTION, SCHEMA).with_eager_arguments() }
    }
}

impl Tool for ExecuteCode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Ok(arguments) = read_arguments::<CodeArguments>(payload) else { return vec![Effect::Unknown] };
        let (program, words, file) = arguments.language.interpreter();
        let command = [&[program], words, &[file]].concat().join(" ");
        vec![Effect::Execute { command, directory: ".".to_owned() }]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        let containment = match self.shell.level() {
            level if level.is_apart() => Containment::new(level.to_string(), Vec::new()),
            level => Containment::new(level.to_string(), vec!["code is refused at this level".to_owned()]),
        };
        Inspection::default().with_containment(containment)
    }

    /// Dropping the future ends all processes of the code.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: CodeArguments = read_arguments(payload)?;
            let level = self.shell.level();
            if !level.is_apart() {
                return Err(ToolError::model(format!(
                    "nothing was run: code needs the sandbox {} or {}, and this run has `{level}`",
                    Level::Namespaces,
                    Level::Bubblewrap
                ))
                .with_advice("Use another tool."));
            }
            let (program, words, file) = arguments.language.interpreter();
            if !Shell::has_interpreter(program) {
                return Err(ToolError::model(format!("nothing was run: this machine has no {program}")));
            }
            let (shell, command) = (self.shell.clone(), program.to_owned());
            let launch = move || Launch::prepare_code(&shell, program, words, file, &arguments.code);
            let (launch, processes) = (prepare(ctx, launch).await?, Processes::default());
            let bounds = Bounds { limit: Some(limit(arguments.timeout_ms)), idle: None };
            let running = start(ctx, launch, bounds, &processes)?;
            let waiting = Waiting { wait: None, most: PAGE_BYTES, slot: None, command };
            attend(ctx, &processes, running, waiting).await
        })
    }
}
