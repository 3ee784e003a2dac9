//! `windlass doctor`: probes this machine, and prints remedies for the missing parts.

use std::fmt::Write as _;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde::Serialize;
use windlass_app::App;
use windlass_app::assembly::confinement_helper;
use windlass_app::instructions::{InstructionFile, Instructions};
use windlass_client::Vendors;
use windlass_sandbox::{Level, LevelFailure, Part, Probe};

use crate::arguments::Doctor;
use crate::output;

/// Programs that commands and code use. Each prints its version with `--version`.
const PROGRAMS: [&str; 5] = ["bash", "git", "python3", "node", "bwrap"];
/// Folders in which the programs are searched. Only root can write to them.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// The printed report.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    system: String,
    sandbox: Sandbox,
    programs: Vec<Program>,
    state: State,
    /// Instruction files for the current folder.
    instructions: Vec<InstructionState>,
    /// Providers with a set key variable. Values are never included.
    keys: Vec<Key>,
    terminal: Terminal,
}

#[derive(Debug, Serialize)]
struct Sandbox {
    level: String,
    landlock: Option<u32>,
    bounds_processes: bool,
    bounds_memory: bool,
    runs_code: bool,
    missing: Vec<Gap>,
}

/// A missing part of the confinement, with its remedy.
#[derive(Debug, Serialize)]
struct Gap {
    what: String,
    remedy: String,
}

#[derive(Debug, Serialize)]
struct Program {
    name: &'static str,
    path: Option<PathBuf>,
    version: Option<String>,
}

#[derive(Debug, Serialize)]
struct State {
    folder: Option<PathBuf>,
    /// Folder of settings.
    settings: Option<PathBuf>,
    exists: bool,
    /// True if the group or other users have any permission for the folder.
    open_to_others: bool,
    runs: usize,
}

#[derive(Debug, Serialize)]
struct InstructionState {
    path: PathBuf,
    bytes: usize,
    used_bytes: usize,
    is_trusted: bool,
}

#[derive(Debug, Serialize)]
struct Key {
    provider: String,
    variable: String,
}

#[derive(Debug, Serialize)]
struct Terminal {
    input: bool,
    output: bool,
    can_ask: bool,
}

pub(crate) fn doctor(arguments: &Doctor, app: &App) -> anyhow::Result<ExitCode> {
    let probe = Probe::run(&confinement_helper()?);
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        system: system(),
        sandbox: sandbox(&probe),
        programs: PROGRAMS.map(program).into(),
        state: state(app),
        instructions: instructions(app)?,
        keys: keys(),
        terminal: terminal(),
    };
    if arguments.json {
        output::line(&report)?;
    } else {
        output::print(&words(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn system() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {} {}", std::env::consts::OS, kernel.trim(), std::env::consts::ARCH)
}

fn sandbox(probe: &Probe) -> Sandbox {
    let mut missing: Vec<Gap> = probe
        .missing
        .iter()
        .map(|missing| Gap { what: missing.to_string(), remedy: remedy(missing).to_owned() })
        .collect();
    let confined = probe.level != Level::None;
    if confined && !probe.bounds.processes {
        missing.push(Gap {
            what: "the number of processes of a command is not limited".to_owned(),
            remedy: "start windlass as a user other than root, or where it may create control groups"
                .to_owned(),
        });
    }
    if confined && !probe.bounds.memory {
        missing.push(Gap {
            what: "the total memory of a command's processes is not limited, only the memory of each process"
                .to_owned(),
            remedy: "start windlass in a scope with delegated control groups: systemd-run --user --scope -p \
                     Delegate=yes windlass …"
                .to_owned(),
        });
    }
    Sandbox {
        level: probe.level.to_string(),
        landlock: probe.landlock,
        bounds_processes: probe.bounds.processes,
        bounds_memory: probe.bounds.memory,
        runs_code: probe.level.is_apart(),
        missing,
    }
}

/// Returns a remedy for a missing part.
fn remedy(missing: &LevelFailure) -> &'static str {
    let restricted = Path::new("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists();
    match missing.part {
        Part::Namespaces | Part::Mounts if restricted => {
            "AppArmor restricts user namespaces here: give this program a profile with `userns,`, or set \
             kernel.apparmor_restrict_unprivileged_userns=0"
        }
        Part::Namespaces | Part::Mounts => {
            "allow user namespaces: user.max_user_namespaces above 0 and, on Debian, \
             kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that lets unshare and mount pass"
        }
        Part::Landlock => {
            "use a kernel of 6.2 or later with landlock in its list of security modules (lsm=…)"
        }
        Part::Bubblewrap => {
            "install bubblewrap, 0.5 or later (the package is called so on Debian, Fedora and Arch), where only root \
             can write: it is used where namespaces cannot be made without it"
        }
        Part::Seccomp => "use a kernel with CONFIG_SECCOMP_FILTER",
        Part::Helper => "make sure that this program can start itself: its file must exist and be executable",
        _ => "report this with the text above: a part of the confinement failed its test",
    }
}

fn program(name: &'static str) -> Program {
    let path = FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file());
    let version = path.as_ref().and_then(|path| {
        let mut process = Command::new(path);
        process.arg("--version").env_clear().current_dir("/").stdin(Stdio::null());
        let output = windlass_sandbox::start_child(|| process.output()).ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned())
    });
    Program { name, path, version }
}

fn state(app: &App) -> State {
    let folder = app.state_folder().ok().map(Path::to_owned);
    let found = folder.as_ref().and_then(|folder| folder.metadata().ok());
    let runs = folder.as_ref().and_then(|folder| fs::read_dir(folder.join("runs")).ok());
    State {
        exists: found.is_some(),
        open_to_others: found.as_ref().is_some_and(is_open_to_others),
        runs: runs.map_or(0, Iterator::count),
        settings: app.settings_folder().map(Path::to_owned),
        folder,
    }
}

/// Finds the instruction files of a run in the current folder.
fn instructions(app: &App) -> anyhow::Result<Vec<InstructionState>> {
    let found = Instructions::find(app, Path::new("."))?;
    let state = |file: &InstructionFile| InstructionState {
        path: file.path.clone(),
        bytes: file.bytes,
        used_bytes: file.used_bytes,
        is_trusted: file.is_trusted,
    };
    Ok(found.files().iter().map(state).collect())
}

#[cfg(unix)]
fn is_open_to_others(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// Returns the set key variables without reading more of a value than its presence.
fn keys() -> Vec<Key> {
    let vendors = Vendors::builtin();
    let named = vendors.names().filter_map(|name| {
        let variable = vendors.get(name)?.endpoint.key_env.clone()?;
        let is_set = std::env::var_os(&variable).is_some_and(|value| !value.is_empty());
        is_set.then(|| Key { provider: name.to_owned(), variable })
    });
    named.collect()
}

fn terminal() -> Terminal {
    let (input, output) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
    Terminal { input, output, can_ask: crate::terminal::Terminal::is_there() }
}

fn words(report: &Report) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let sandbox = &report.sandbox;
    let mut text = format!("windlass {} on {}\n\nCommands\n", report.version, report.system);
    let version = sandbox.landlock.map_or_else(|| "not used".to_owned(), |version| version.to_string());
    let _ = writeln!(text, "  sandbox: {} (Landlock version: {version})", sandbox.level);
    let _ = writeln!(text, "  total processes limited: {}", yes(sandbox.bounds_processes));
    let _ = writeln!(text, "  total memory limited: {}", yes(sandbox.bounds_memory));
    let _ = writeln!(text, "  execute_code available: {}", yes(sandbox.runs_code));
    for gap in &sandbox.missing {
        let _ = writeln!(text, "  missing: {}\n    remedy: {}", gap.what, gap.remedy);
    }
    text.push_str("\nPrograms\n");
    for Program { name, path, version } in &report.programs {
        let found = path.as_ref().map_or_else(|| "not found".to_owned(), |path| path.display().to_string());
        let _ = writeln!(text, "  {name}: {found} {}", version.as_deref().unwrap_or_default());
    }
    text.push_str("\nState\n");
    let state = &report.state;
    let folder = state.folder.as_ref().map_or_else(
        || "none: set WINDLASS_STATE_DIR or HOME".to_owned(),
        |folder| folder.display().to_string(),
    );
    let _ = writeln!(text, "  folder: {folder}{}", if state.exists { "" } else { " (does not exist yet)" });
    let _ = writeln!(text, "  runs: {}", state.runs);
    if let Some(settings) = &state.settings {
        let _ = writeln!(text, "  settings: {}", settings.display());
    }
    if state.open_to_others {
        let _ = writeln!(text, "  other users of this machine can read it: chmod 700 {folder}");
    }
    text.push_str("\nInstruction files for this folder\n");
    for InstructionState { path, bytes, used_bytes, is_trusted } in &report.instructions {
        let use_of = if *is_trusted {
            format!("{used_bytes} of {}", windlass_text::count_noun(*bytes, "byte"))
        } else {
            "not trusted".to_owned()
        };
        let _ = writeln!(text, "  {}: {use_of}", path.display());
    }
    if report.instructions.is_empty() {
        text.push_str("  none\n");
    }
    text.push_str("\nKeys (by name; windlass never prints a value)\n");
    for Key { provider, variable } in &report.keys {
        let _ = writeln!(text, "  {variable} ({provider})");
    }
    if report.keys.is_empty() {
        text.push_str("  none is set\n");
    }
    let terminal = &report.terminal;
    let _ = writeln!(
        text,
        "\nTerminal\n  input: {}, output: {}, a human can be asked: {}",
        yes(terminal.input),
        yes(terminal.output),
        yes(terminal.can_ask)
    );
    text
}
