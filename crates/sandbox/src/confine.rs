//! The process that confines itself and then becomes, or starts, the command.

use std::ffi::OsString;
use std::fs;
use std::os::fd::RawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode};

use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::{Mode, umask};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::close;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};

use crate::plan::{Plan, Stage};
use crate::{Level, Part, landlocked, namespaces, syscalls};

/// The helper could not confine, so the command was not run.
const NOT_CONFINED: u8 = 125;
const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// What failed, and what the system said.
struct Failure(Part, String);

/// Reads what [`Confinement::command`](crate::Confinement::command) said, confines this process by it and
/// runs the command. The value is the exit code for `main` to return; a signal is 128 and its number.
///
/// The arguments are the last of the process's own, and it must not have started a thread. What is inherited
/// beside stdin, stdout and stderr is closed.
pub fn confine_and_exec(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let given = words.len();
    let done = match Plan::decode(words) {
        Some((plan, command)) => run(&plan, &command, given),
        None => Err(Failure(Part::Helper, "the arguments are not those of a confinement".to_owned())),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure(part, words)) => {
            tell(&format!("{part}: {words}"));
            ExitCode::from(NOT_CONFINED)
        }
    }
}

#[expect(clippy::print_stderr, reason = "the helper's only way to say why it did not run the command")]
fn tell(words: &str) {
    eprintln!("not confined: {words}");
}

fn run(plan: &Plan, command: &[OsString], given: usize) -> Result<u8, Failure> {
    close_inherited().map_err(|error| Failure(Part::Helper, error.to_string()))?;
    match (plan.level, plan.stage) {
        (Level::Namespaces, Stage::Outer) => outer(plan, command, given),
        (Level::Namespaces, Stage::Inner) => {
            // Whoever kills the outer process kills all of them.
            prctl::set_pdeathsig(Signal::SIGKILL)
                .map_err(|error| Failure(Part::Namespaces, error.to_string()))?;
            hold_signals();
            namespaces::enter(plan).map_err(|words| Failure(Part::Mounts, words))?;
            confine(plan, &namespaces::PRIVATE)?;
            if command.is_empty() { check(plan) } else { Ok(first(command)) }
        }
        (Level::Landlock, Stage::Outer) => {
            confine(plan, &[])?;
            if command.is_empty() { check(plan) } else { Ok(become_command(command)) }
        }
        _ => Err(Failure(Part::Helper, "there is no such level".to_owned())),
    }
}

/// A descriptor that the host left open would be a way around every rule.
fn close_inherited() -> std::io::Result<()> {
    let open: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The one of the listing itself is closed already.
        let _ = close(descriptor);
    }
    Ok(())
}

/// TERM and INT go to the whole group: the command may tidy up while the helper waits for it. Programs that
/// are started get an empty mask from `std`.
fn hold_signals() {
    let mut held = SigSet::empty();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        held.add(signal);
    }
    // A mask that cannot be set costs the command its grace, nothing else.
    let _ = held.thread_block();
}

fn outer(plan: &Plan, command: &[OsString], given: usize) -> Result<u8, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(Part::Namespaces, error.to_string());
    // Made before the mounts, on the host, because what is not there cannot be mounted over.
    let placeholders = Placeholders::make(plan).map_err(|error| Failure(Part::Mounts, error.to_string()))?;
    namespaces::leave(!plan.ports.is_empty()).map_err(|words| failed(&words))?;
    hold_signals();
    let own: Vec<_> = std::env::args_os().collect();
    let before = own.get(1..own.len().saturating_sub(given)).unwrap_or_default();
    let inner = Plan { stage: Stage::Inner, ..plan.clone() };
    let mut process = Command::new("/proc/self/exe");
    process.args(before).args(inner.encode(command));
    let status = process.status().map_err(|error| failed(&error))?;
    drop(placeholders);
    Ok(code_of(status.code(), status.signal()))
}

/// Empty folders in the place of protected paths that are not there, taken away again at the end.
struct Placeholders(Vec<std::path::PathBuf>);

impl Placeholders {
    fn make(plan: &Plan) -> std::io::Result<Self> {
        let mut made = Self(Vec::new());
        for path in &plan.protected {
            if fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
                fs::create_dir(path)?;
                made.0.push(path.clone());
            }
        }
        Ok(made)
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for path in &self.0 {
            // Only an empty folder goes: what somebody else put there in the meantime stays.
            let _ = fs::remove_dir(path);
        }
    }
}

fn confine(plan: &Plan, own_folders: &[&str]) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(Part::Privileges, error.to_string());
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, plan.limits.file_bytes),
        (Resource::RLIMIT_NOFILE, plan.limits.open_files),
        (Resource::RLIMIT_AS, plan.limits.memory_bytes),
        (Resource::RLIMIT_NPROC, plan.limits.processes),
    ];
    for (resource, limit) in limits {
        let (_, most) = nix::sys::resource::getrlimit(resource).map_err(|error| failed(&error))?;
        let limit = limit.min(most);
        setrlimit(resource, limit, limit).map_err(|error| failed(&error))?;
    }
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    std::env::set_current_dir(&plan.folder)
        .map_err(|error| failed(&format!("{}: {error}", plan.folder.display())))?;
    prctl::set_no_new_privs().map_err(|error| failed(&error))?;
    if plan.level == Level::Namespaces {
        drop_capabilities().map_err(|error| failed(&error))?;
    }
    landlocked::restrict(plan, own_folders).map_err(|words| Failure(Part::Landlock, words))?;
    syscalls::restrict(&plan.ports).map_err(|words| Failure(Part::Seccomp, words))
}

/// With a capability left, `umount` would undo every mount.
fn drop_capabilities() -> rustix::io::Result<()> {
    for capability in CapabilitySet::all() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel is older than the list.
            Err(rustix::io::Errno::INVAL) | Ok(()) => {}
            Err(error) => return Err(error),
        }
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Without a command the confinement is tried from inside: a probe believes what it saw.
fn check(plan: &Plan) -> Result<u8, Failure> {
    let failed = |words: &str| Err(Failure(Part::Check, words.to_owned()));
    if std::net::TcpListener::bind("127.0.0.1:0").is_ok() {
        return failed("a socket could be made");
    }
    for folder in ["/", "/etc", "/usr", "/var/tmp", "/proc/sys/kernel"] {
        let trace = format!("{folder}/windlass-check");
        if fs::write(&trace, "").is_ok() {
            // Where nothing held, nothing is left behind either.
            let _ = fs::remove_file(&trace);
            return failed("a file outside could be written");
        }
    }
    if namespaces::leave(false).is_ok() {
        return failed("new namespaces could be made");
    }
    if plan.level == Level::Namespaces && std::process::id() != 1 {
        return failed("processes of the host are visible");
    }
    Ok(0)
}

fn process_of(command: &[OsString]) -> Option<Command> {
    let (program, arguments) = command.split_first()?;
    let mut process = Command::new(program);
    process.args(arguments);
    Some(process)
}

fn become_command(command: &[OsString]) -> u8 {
    process_of(command).map_or(NOT_FOUND, |mut process| not_started(&process.exec()))
}

fn not_started(error: &std::io::Error) -> u8 {
    tell(&format!("the program cannot be run: {error}"));
    if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE }
}

/// The first process of the namespaces: it runs the command, buries orphans, and with its end all others end.
fn first(command: &[OsString]) -> u8 {
    let Some(mut process) = process_of(command) else { return NOT_FOUND };
    let child = match process.spawn() {
        Ok(child) => child.id(),
        Err(error) => return not_started(&error),
    };
    loop {
        match wait() {
            Ok(WaitStatus::Exited(id, code)) if id.as_raw().unsigned_abs() == child => {
                return code_of(Some(code), None);
            }
            Ok(WaitStatus::Signaled(id, signal, _)) if id.as_raw().unsigned_abs() == child => {
                return code_of(None, Some(signal as i32));
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return NOT_CONFINED,
        }
    }
}

fn code_of(code: Option<i32>, signal: Option<i32>) -> u8 {
    let code = code.unwrap_or_else(|| signal.unwrap_or(0).saturating_add(128));
    u8::try_from(code).unwrap_or(NOT_CONFINED)
}
