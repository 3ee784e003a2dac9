//! The built program with a state folder and a root of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;
use windlass_testkit::script::Script;
use windlass_testkit::server::ScriptedProvider;

/// Longer than any command takes; a command that hangs fails its test.
const LONGEST: Duration = Duration::from_mins(1);

/// The program, its folders, and a runtime for the servers that it speaks to.
pub(crate) struct Windlass {
    runtime: Runtime,
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Windlass {
    pub(crate) fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        Self { runtime, folder }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// A file in the root.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.root().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A provider that follows a script.
    #[track_caller]
    pub(crate) fn provider(&self, script: &str) -> ScriptedProvider {
        self.runtime.block_on(ScriptedProvider::start(Script::parse(script).unwrap(), 0)).unwrap()
    }

    /// Runs a command to its end, without a terminal and without input.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[], "")
    }

    /// Runs a command to its end, with variables of the environment and input.
    #[track_caller]
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Ended {
        let ended = self.runtime.block_on(async {
            let mut child = self.command(arguments).envs(variables.iter().copied()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // A command that does not read its input closes it.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
            tokio::time::timeout(LONGEST, child.wait_with_output()).await
        });
        let output = ended.expect("the command ends").unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts a command and waits until a file that it makes has a whole line.
    pub(crate) fn start_until(&self, arguments: &[&str], file: &Path) -> (Child, String) {
        self.runtime.block_on(async {
            let child = self.command(arguments).spawn().unwrap();
            let line = tokio::time::timeout(LONGEST, async {
                loop {
                    if let Some(line) = fs::read_to_string(file).ok().filter(|text| text.ends_with('\n')) {
                        return line.trim().to_owned();
                    }
                    tokio::task::yield_now().await;
                }
            });
            (child, line.await.expect("the file is made"))
        })
    }

    /// Starts a command and waits for the first line that it prints.
    pub(crate) fn start(&self, arguments: &[&str]) -> (Child, String) {
        self.runtime.block_on(async {
            let mut child = self.command(arguments).spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let line = tokio::time::timeout(LONGEST, lines.next_line()).await;
            (child, line.expect("a line is printed").unwrap().unwrap())
        })
    }

    /// Ends a command as a crash does: with SIGKILL, so that it can write nothing more.
    pub(crate) fn kill(&self, mut child: Child) {
        self.runtime.block_on(child.kill()).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("WINDLASS_STATE_DIR", self.state())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// All files below a folder, with their bytes.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files
}
