//! Starts the built program with folders of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use windlass_mock::{Script, ScriptedProvider};
use windlass_vendors::WireFormat;

/// A folder for state and project, and the program without the user's environment.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

/// Returns the names of all wire formats.
pub(crate) fn wire_formats() -> impl Iterator<Item = &'static str> {
    WireFormat::all().iter().map(WireFormat::name)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        std::fs::write(folder.path().join("project/a.txt"), "hello\n").unwrap();
        Self { folder }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("WINDLASS_STATE_DIR", self.folder.path().join("state"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        output_with_input(self.command(arguments), input)
    }

    /// Returns the windows that answered the questions of the newest session, by its record.
    pub(crate) fn windows(&self) -> Vec<String> {
        let shown = text(&self.run(&["sessions", "show", "last", "--json"]).stdout);
        let events = shown.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let closed = events.filter(|event| event["kind"] == "question_closed");
        closed.map(|event| event["by"].as_str().unwrap_or("unknown").to_owned()).collect()
    }

    /// The id of the newest run.
    pub(crate) fn run_id(&self) -> String {
        let runs = std::fs::read_dir(self.folder.path().join("state/runs")).unwrap();
        let mut ids: Vec<_> = runs.map(|run| run.unwrap().file_name().into_string().unwrap()).collect();
        ids.sort();
        ids.pop().unwrap()
    }
}

pub(crate) fn output_with_input(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments does not read its input; the output of the program shows why.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

pub(crate) async fn provider(script: &str) -> ScriptedProvider {
    ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap()
}
