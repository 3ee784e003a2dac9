//! A temporary folder with the tools of this crate, and functions that check from outside which processes live.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::{TempDir, tempdir};
use windlass_protocol::{Arguments, CallId, Content, Payload, ResultStatus};
use windlass_sandbox::{Helper, Level, Probe, Workspace};
use windlass_testkit::Need;
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_shell::{RunCommand, Shell};

/// The longest wait of these tests. A loaded machine delays processes by seconds, so a bound near the tools' own
/// times (2 s of grace, 2 s of draining) measures the machine. This one is far above them and far below the 300 s
/// that the marked processes sleep, so a call that ends within it did not wait for them.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_mins(2);

/// The result of a call: its status and text, or the text of an error.
pub(crate) type Met = Result<(ResultStatus, String), String>;

/// `run_command` with nothing confined, on the folder `work`.
pub(crate) fn plain() -> (TempDir, RunCommand) {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    let workspace = Workspace::open(folder.path().join("work")).unwrap();
    (folder, RunCommand::new(Arc::new(workspace)))
}

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

pub(crate) fn context(folder: &TempDir) -> Context {
    Context::new(CallId::new("call/1").unwrap()).with_outputs(folder.path().join("outputs"))
}

pub(crate) fn call(tool: &dyn Tool, ctx: &Context, arguments: &Value) -> Met {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(tool.call(ctx, &payload(arguments))) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok((output.status, text.clone())),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(other) => panic!("{other}"),
    }
}

/// KILL is sent before the call ends and takes effect a moment later; no target survives longer than that.
#[track_caller]
pub(crate) fn assert_gone(pid_file: &Path) {
    let pid = fs::read_to_string(pid_file).unwrap();
    let began = Instant::now();
    while lives(pid.trim()) {
        assert!(began.elapsed() < LONGEST_WAIT, "{pid} lives");
        std::thread::yield_now();
    }
}

/// A zombie that init has not reaped yet runs no more.
fn lives(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// The helper: the example of this crate, which `cargo test` builds with the tests.
pub(crate) fn helper() -> Helper {
    let exe = std::env::current_exe().unwrap();
    let example = exe.parent().and_then(Path::parent).unwrap().join("examples/confined");
    assert!(
        example.exists(),
        "{} is missing: `cargo test` builds it, `--test it` alone does not",
        example.display()
    );
    Helper::new(example).with_argument("__confine")
}

pub(crate) fn probe() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| Probe::run(&helper()))
}

/// Checks that this machine confines at the level of namespaces.
pub(crate) fn namespaces() -> Result<(), String> {
    let Probe { level, missing, .. } = probe();
    if *level == Level::Namespaces { Ok(()) } else { Err(format!("{missing:?}")) }
}

/// A workspace, a home with keys, and a folder that nothing may reach.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) work: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) canary: PathBuf,
    pub(crate) shell: Shell,
}

pub(crate) const SECRET: &str = "sk-test-0123456789abcdef";

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["work", "home/.ssh", "out", "state"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("home/.ssh/id_rsa"), SECRET).unwrap();
        fs::write(root.join("out/secret.txt"), SECRET).unwrap();
        let home = root.join("home");
        let shell = Shell::new_confined(helper(), probe()).with_home(&home).with_never(root.join("state"));
        Self { work: root.join("work"), home, canary: root.join("out/canary"), folder, shell }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("@CANARY@", self.canary.to_str().unwrap())).unwrap();
    }

    pub(crate) fn tool(&self) -> RunCommand {
        RunCommand::for_workspace(Arc::new(Workspace::open(&self.work).unwrap()), self.shell.clone())
    }

    pub(crate) fn run(&self, arguments: &Value) -> Met {
        call(&self.tool(), &context(&self.folder), arguments)
    }

    /// The text of a command that ran confined.
    #[track_caller]
    pub(crate) fn text(&self, command: &str) -> String {
        let (_, text) = self.run(&serde_json::json!({"command": command})).unwrap();
        assert!(text.contains("sandbox: ns+landlock+seccomp"), "{text}");
        text
    }

    /// Runs git in the workspace as its owner does, before anybody attacks.
    pub(crate) fn git(&self, words: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.current_dir(&self.work).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        git.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1");
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
        let output = git.args(identity).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}

/// Processes whose command line has the mark.
pub(crate) fn marked(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(mark.len()).any(|window| window == mark.as_bytes())).count()
}

/// A length of sleep that no other process of this machine has.
pub(crate) fn mark(number: u32) -> String {
    format!("{}.{}", 300 + number, std::process::id())
}

#[track_caller]
pub(crate) fn assert_no(mark: &str) {
    let began = Instant::now();
    while marked(mark) > 0 {
        assert!(began.elapsed() < LONGEST_WAIT, "{} processes survived", marked(mark));
        std::thread::yield_now();
    }
}

/// The tools of one run, and the runtime that it has.
pub(crate) struct Run {
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) processes: windlass_tools_shell::Processes,
    tools: Vec<Arc<dyn Tool>>,
    outputs: PathBuf,
}

impl Run {
    pub(crate) fn new(scene: &Scene) -> Self {
        Self::with(scene, windlass_tools_shell::ProcessBounds::default())
    }

    pub(crate) fn with(scene: &Scene, bounds: windlass_tools_shell::ProcessBounds) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let outputs = scene.folder.path().join("outputs");
        let workspace = Workspace::open(&scene.work).unwrap().with_outputs(&outputs);
        let processes = windlass_tools_shell::Processes::new(bounds);
        let tools = windlass_tools_shell::tools_of(&Arc::new(workspace), &scene.shell, &processes);
        Self { runtime: runtime.unwrap(), processes, tools, outputs }
    }

    pub(crate) fn tool(&self, name: &str) -> &dyn Tool {
        &**self.tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap()
    }

    pub(crate) fn context(&self) -> Context {
        Context::new(CallId::new("call_1").unwrap()).with_outputs(&self.outputs)
    }

    pub(crate) fn call_in(&self, ctx: &Context, name: &str, arguments: &Value) -> Met {
        let output = self.runtime.block_on(self.tool(name).call(ctx, &payload(arguments)));
        met(output)
    }

    pub(crate) fn call(&self, name: &str, arguments: &Value) -> Met {
        self.call_in(&self.context(), name, arguments)
    }

    #[track_caller]
    pub(crate) fn text(&self, name: &str, arguments: &Value) -> String {
        self.call(name, arguments).unwrap().1
    }

    /// Divides the run into its runtime and the rest.
    pub(crate) fn split(self) -> (tokio::runtime::Runtime, impl Sized) {
        (self.runtime, (self.processes, self.tools))
    }

    /// Repeats a call until the joined texts of its results contain a text, and returns them.
    #[track_caller]
    pub(crate) fn until(&self, words: &str, name: &str, arguments: &Value) -> String {
        let (began, mut all) = (Instant::now(), String::new());
        loop {
            let last = self.text(name, arguments);
            all.push_str(&last);
            if all.contains(words) {
                return all;
            }
            assert!(began.elapsed() < LONGEST_WAIT, "no {words:?}, last in {last}");
        }
    }
}

fn met(output: Result<windlass_tool::Output, ToolError>) -> Met {
    match output {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok((output.status, text.clone())),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(other) => panic!("{other}"),
    }
}

/// Returns a scene without confinement and a scene with the best confinement of this machine, with their names.
pub(crate) fn scenes() -> Vec<(&'static str, Scene)> {
    let mut plain = Scene::new();
    plain.shell = Shell::new_unconfined();
    let mut scenes = vec![("none", plain)];
    if Need::Namespaces.check(namespaces()).is_some() {
        scenes.push(("ns", Scene::new()));
    }
    let lower =
        [("bwrap", Level::Bubblewrap, Need::Bubblewrap), ("landlock", Level::Landlock, Need::Landlock)];
    for (name, level, need) in lower {
        let (mut scene, mut lower) = (Scene::new(), probe().clone());
        let is_missing = probe().missing.iter().any(|missing| missing.level == level);
        if need.check(!is_missing && reaches(level)).is_none() {
            continue;
        }
        lower.level = level;
        scene.shell = Shell::new_confined(helper(), &lower).with_home(&scene.home);
        scenes.push((name, scene));
    }
    scenes
}

/// Returns true if this machine has a level below its best.
fn reaches(level: Level) -> bool {
    let folder = Path::new("/");
    let mut command =
        windlass_sandbox::Confinement::new().command::<&str>(level, &helper(), folder, "/bin/true", []);
    command.output().is_ok_and(|output| output.status.success())
}
