//! The helper process, which confines itself and then becomes or starts the command.

mod landlocked;
pub(crate) mod syscalls;

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsFd, RawFd};
use std::path::Path;
use std::process::ExitCode;

use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::stat::{Mode, umask};
use nix::unistd::close;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

use self::syscalls::GroupBit;
use crate::leash::FAILED;
use crate::plan::{Hold, Plan, Stage};
use crate::{Level, Part, namespaces, signals, supervise};

/// The exit code if the confinement failed; the command was not run.
pub(crate) const NOT_CONFINED: u8 = 125;

/// The part of the confinement that failed, and the error message of the system.
pub(crate) struct Failure(pub(crate) Part, pub(crate) String);

impl Failure {
    /// Returns a closure for `map_err` that attributes an error to `part`.
    pub(crate) fn attribute_to<E: std::fmt::Display>(part: Part) -> impl Fn(E) -> Self {
        move |error| Self(part, error.to_string())
    }
}

/// Decodes the arguments of [`Confinement::command`](crate::Confinement::command), confines this process
/// accordingly and runs the command. Returns the exit code for `main`; for a command that a signal ended, it
/// is 128 plus the signal's number.
///
/// The arguments have to be the last of the process's own, and the process must not have started a thread.
/// All inherited descriptors except stdin, stdout and stderr are closed.
pub fn confine_and_exec(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let given = words.len();
    let plan = supervise::plan_file::load(words).ok().and_then(Plan::decode);
    let Some((plan, command)) = plan else {
        tell(&format!("{}: the arguments are not those of a confinement", Part::Helper));
        return ExitCode::from(NOT_CONFINED);
    };
    match run(&plan, &command, given) {
        Ok(code) => ExitCode::from(code),
        Err(Failure(part, words)) => {
            let line = words.replace('\n', " ");
            match plan.hold {
                Hold::Leash => say(&format!("{FAILED}{part}: {line}\n")),
                Hold::Free => tell(&format!("{part}: {line}")),
            }
            ExitCode::from(NOT_CONFINED)
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the helper can report only on standard error why it did not run the command"
)]
pub(crate) fn tell(words: &str) {
    eprintln!("not confined: {words}");
}

/// Sends a line to the host over the [leash](crate::Leash).
pub(crate) fn say(line: &str) {
    // A host that has exited does not read the line, so ignore EPIPE.
    let _ = nix::unistd::write(std::io::stdin().as_fd(), line.as_bytes());
}

fn run(plan: &Plan, command: &[OsString], given: usize) -> Result<u8, Failure> {
    close_inherited().map_err(Failure::attribute_to(Part::Helper))?;
    signals::reset().map_err(Failure::attribute_to(Part::Helper))?;
    match (plan.level, plan.stage) {
        (Level::Namespaces | Level::Bubblewrap, Stage::Outer) => supervise::run_outer(plan, command, given),
        (Level::Namespaces | Level::Bubblewrap, Stage::Inner) => supervise::run_first_process(plan, command),
        (Level::Landlock, Stage::Outer) => supervise::run_without_namespaces(plan, command),
        _ => Err(Failure(Part::Helper, "the level does not exist".to_owned())),
    }
}

/// Prevents other processes of the same user from reading this process's memory, and excludes it from core
/// dumps. A host that holds keys calls this first.
///
/// # Errors
/// If the system refuses.
pub fn close_memory() -> std::io::Result<()> {
    prctl::set_dumpable(false).map_err(Into::into)
}

/// Closes inherited descriptors: one that the host left open would bypass every rule.
fn close_inherited() -> std::io::Result<()> {
    let open: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The descriptor of the directory listing itself is already closed.
        let _ = close(descriptor);
    }
    Ok(())
}

/// Applies the last steps: limits, privileges, Landlock, seccomp. Returns the kernel's Landlock version.
pub(crate) fn confine(plan: &Plan, own_folders: &[&Path]) -> Result<i32, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(Part::Privileges, error.to_string());
    let mut limits = vec![
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, plan.limits.file_bytes),
        (Resource::RLIMIT_NOFILE, plan.limits.open_files),
        (Resource::RLIMIT_AS, plan.limits.memory_bytes),
        (Resource::RLIMIT_DATA, plan.limits.data_bytes),
        (Resource::RLIMIT_CPU, plan.limits.cpu_seconds),
    ];
    if plan.level.is_apart() {
        // The kernel counts processes per user namespace. Without a namespace of its own, the child would
        // share the count with all processes of the user.
        limits.push((Resource::RLIMIT_NPROC, plan.limits.processes));
    }
    for (resource, limit) in limits {
        let (_, most) = nix::sys::resource::getrlimit(resource).map_err(|error| failed(&error))?;
        let limit = limit.min(most);
        setrlimit(resource, limit, limit).map_err(|error| failed(&error))?;
    }
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    std::env::set_current_dir(&plan.folder)
        .map_err(|error| failed(&format!("{}: {error}", plan.folder.display())))?;
    prctl::set_no_new_privs().map_err(|error| failed(&error))?;
    let dropped = if plan.level.is_apart() { CapabilitySet::all() } else { PRIVILEGED_FILES };
    drop_capabilities(plan.level, dropped).map_err(|error| failed(&error))?;
    let version = landlocked::restrict(plan, own_folders).map_err(|words| Failure(Part::Landlock, words))?;
    syscalls::restrict(&plan.ports, GroupBit::from_plan(plan))
        .map_err(|words| Failure(Part::Seccomp, words))?;
    Ok(version)
}

/// The capabilities with which root can create files that give privileges to another user: setting file
/// capabilities, and a setuid bit that survives a write.
const PRIVILEGED_FILES: CapabilitySet = CapabilitySet::SETFCAP.union(CapabilitySet::FSETID);

/// Drops capabilities permanently. A capability that remains inside the namespaces would allow `umount` to
/// undo every mount.
fn drop_capabilities(level: Level, dropped: CapabilitySet) -> rustix::io::Result<()> {
    for capability in dropped {
        match remove_capability_from_bounding_set(capability) {
            // The kernel is older than the capability.
            Err(rustix::io::Errno::INVAL) | Ok(()) => {}
            // After `bwrap`, or for a user without privileges, the process is not permitted to change the bounding
            // set. A program cannot gain capabilities from that set anyway, because new privileges are disabled.
            Err(rustix::io::Errno::PERM) if level != Level::Namespaces => {}
            Err(error) => return Err(error),
        }
    }
    clear_ambient_capability_set()?;
    let held = capabilities(None)?;
    let kept = |set: CapabilitySet| set.difference(dropped);
    let sets = CapabilitySets {
        effective: kept(held.effective),
        permitted: kept(held.permitted),
        inheritable: kept(held.inheritable),
    };
    set_capabilities(None, sets)
}

/// Tests the confinement from inside, for a probe: the process tries the operations that must fail.
pub(crate) fn check(plan: &Plan) -> Result<u8, Failure> {
    let failed = |words: &str| Err(Failure(Part::Check, words.to_owned()));
    if std::net::TcpListener::bind("127.0.0.1:0").is_ok() {
        return failed("a socket could be made");
    }
    for folder in ["/", "/etc", "/usr", "/var/tmp", "/proc/sys/kernel"] {
        let trace = format!("{folder}/windlass-check");
        if fs::write(&trace, "").is_ok() {
            // If the confinement failed, at least remove the file that the test wrote.
            let _ = fs::remove_file(&trace);
            return failed("a file outside could be written");
        }
    }
    if namespaces::leave(false).is_ok() {
        return failed("new namespaces could be made");
    }
    if plan.level.is_apart() && std::process::id() != 1 {
        return failed("processes of the host are visible");
    }
    Ok(0)
}
