//! The helper's processes while the command runs: they start it, reap orphans, and end all its processes.

mod placeholders;
pub(crate) mod plan_file;
mod tree;
mod watch;

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid, getuid, setsid};

use crate::confine::syscalls::GroupBit;
use crate::confine::{Failure, NOT_CONFINED, check, confine, say, tell};
use crate::leash::{CONFINED, handed, parse_message};
use crate::plan::{Hold, Input, Plan, Stage, Terminal};
use crate::probe::LANDLOCK;
use crate::{Bounds, Level, Part, bubblewrap, namespaces, new_files, terminal};

use self::placeholders::Placeholders;
use self::tree::Tree;
use self::watch::{News, Watch};

const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;
/// All processes that this one may signal. For the first process of a namespace these are all others in it.
const ALL: Pid = Pid::from_raw(-1);

/// Runs the outer process, on the host: does the steps that need the host, starts the first process of the
/// namespaces and waits for it.
pub(crate) fn run_outer(plan: &Plan, command: &[OsString], given: usize) -> Result<u8, Failure> {
    let failed = |error: io::Error| Failure(Part::Namespaces, error.to_string());
    let input = input(plan)?;
    // Create stand-ins before the mounts, on the host, because a missing path cannot be mounted over.
    let (placeholders, protected) =
        Placeholders::make(&plan.protected).map_err(Failure::attribute_to(Part::Mounts))?;
    let tree = Tree::join(&plan.limits);
    if command.is_empty() {
        print(tree.bounds, None);
    }
    let own: Vec<_> = std::env::args_os().collect();
    let before = own.get(1..own.len().saturating_sub(given)).unwrap_or_default();
    let mut inner = Plan { stage: Stage::Inner, protected, ..plan.clone() };
    let (mut process, _closed) = if plan.level == Level::Bubblewrap {
        // Become a subreaper: processes killed with bwrap are reparented to this one, so that it can wait for
        // their end.
        prctl::set_child_subreaper(true).map_err(Failure::attribute_to(Part::Helper))?;
        bubblewrap::record_places(&mut inner).map_err(Failure::attribute_to(Part::Mounts))?;
        bubblewrap::start(&inner).map_err(|words| Failure(Part::Bubblewrap, words))?
    } else {
        namespaces::leave(!plan.ports.is_empty()).map_err(Failure::attribute_to(Part::Namespaces))?;
        (Command::new("/proc/self/exe"), Vec::new())
    };
    let watch = Watch::new(plan.hold).map_err(Failure::attribute_to(Part::Helper))?;
    let began = SystemTime::now();
    let (_plan, arguments) =
        plan_file::store(&inner.encode(command)).map_err(Failure::attribute_to(Part::Helper))?;
    process.args(before).args(arguments);
    let code = match plan.hold {
        Hold::Free => {
            let child = watch.with_signals(|| process.spawn()).map_err(failed)?;
            let child = pid_of(child.id());
            // Without a leash (`crate::Leash`) the inner process cannot be asked to clean up.
            wait_for(&watch, child, || signal(child, Signal::SIGKILL))
        }
        Hold::Leash => run_leashed(process, input, &watch, plan)?,
    };
    if plan.level == Level::Bubblewrap {
        end_children();
    }
    clear_bits(plan, began);
    drop(placeholders);
    drop(tree);
    Ok(code)
}

/// Starts the inner process with a leash, says that it is confined, and waits for it.
fn run_leashed(
    mut process: Command,
    input: Option<OwnedFd>,
    watch: &Watch,
    plan: &Plan,
) -> Result<u8, Failure> {
    let failed = |error: io::Error| Failure(Part::Namespaces, error.to_string());
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    process.stdin(OwnedFd::from(theirs));
    if let Some(input) = input {
        handed::give(&ours, input).map_err(Failure::attribute_to(Part::Helper))?;
    }
    let child = watch.with_signals(|| process.spawn()).map_err(failed)?;
    // Close the parent's copy of the other end of the leash.
    drop(process);
    let mut said = String::new();
    let _ = BufReader::new(&ours).read_line(&mut said);
    let pass = || drop((&ours).write_all(b"t"));
    if let Err(error) = parse_message(&said) {
        wait_for(watch, pid_of(child.id()), pass);
        return Err(Failure(error.part, error.words));
    }
    say(CONFINED);
    leave_output(plan);
    Ok(wait_for(watch, pid_of(child.id()), pass))
}

#[expect(clippy::print_stdout, reason = "a probing helper reports its findings")]
fn print(bounds: Bounds, landlock: Option<i32>) {
    for line in bounds.lines() {
        println!("{line}");
    }
    if let Some(version) = landlock {
        println!("{LANDLOCK}{version}");
    }
}

/// Runs the first process of the namespaces. When it ends, the kernel ends all others.
pub(crate) fn run_first_process(plan: &Plan, command: &[OsString]) -> Result<u8, Failure> {
    // Killing the outer process has to kill this one. The leash covers the time before this call.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(Failure::attribute_to(Part::Namespaces))?;
    let input = input(plan)?;
    let watch = Watch::first(plan.hold).map_err(Failure::attribute_to(Part::Helper))?;
    // If memory runs out, the kernel should kill this tree before the host's processes. Failing to set this
    // does no harm.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    // The kernel limits the processes of a namespace's user, unless that user is the machine's root.
    let processes = namespaces::limit_processes(plan.limits.processes) || !getuid().is_root();
    if plan.level == Level::Namespaces {
        namespaces::enter(plan).map_err(Failure::attribute_to(Part::Mounts))?;
    } else {
        bubblewrap::check_places(plan).map_err(Failure::attribute_to(Part::Mounts))?;
    }
    // A new session has no terminal, and signals to the host's group do not reach the helper.
    setsid().map_err(Failure::attribute_to(Part::Privileges))?;
    if plan.terminal == Terminal::Stdout {
        terminal::take().map_err(Failure::attribute_to(Part::Privileges))?;
    }
    let own: Vec<&Path> =
        namespaces::PRIVATE.iter().map(Path::new).chain(plan.private.iter().map(AsRef::as_ref)).collect();
    let version = confine(plan, &own)?;
    // Prevent the command from reading this process's memory.
    prctl::set_dumpable(false).map_err(Failure::attribute_to(Part::Privileges))?;
    if command.is_empty() {
        print(Bounds { processes, memory: false }, Some(version));
        return check(plan);
    }
    let code = start_command(plan, &watch, command, input)
        .map_or_else(|code| code, |child| wait_for(&watch, child, || ask(plan, ALL)));
    Ok(code)
}

/// Runs the helper at the level without namespaces: in the same confinement as the command. Without a leash
/// there is nothing to wait for, so this process becomes the command.
pub(crate) fn run_without_namespaces(plan: &Plan, command: &[OsString]) -> Result<u8, Failure> {
    let tree = Tree::join(&plan.limits);
    if command.is_empty() {
        let version = confine(plan, &[])?;
        print(tree.bounds, Some(version));
        return check(plan);
    }
    if plan.hold == Hold::Free {
        confine(plan, &[])?;
        let Some(mut process) = process_of(command) else { return Ok(NOT_FOUND) };
        return Ok(not_started(&process.exec()));
    }
    let input = input(plan)?;
    if plan.terminal == Terminal::Stdout {
        setsid().map_err(Failure::attribute_to(Part::Privileges))?;
        terminal::take().map_err(Failure::attribute_to(Part::Privileges))?;
    }
    // Become a subreaper, so that orphans can be ended together with the command.
    prctl::set_child_subreaper(true).map_err(Failure::attribute_to(Part::Privileges))?;
    let watch = Watch::new(plan.hold).map_err(Failure::attribute_to(Part::Helper))?;
    confine(plan, &[])?;
    let began = SystemTime::now();
    let code = start_command(plan, &watch, command, input)
        .map_or_else(|code| code, |child| wait_for(&watch, child, || ask(plan, child)));
    end_children();
    clear_bits(plan, began);
    Ok(code)
}

/// Removes the setuid and setgid bits from new files, if the command was able to set one of them.
fn clear_bits(plan: &Plan, began: SystemTime) {
    if GroupBit::from_plan(plan) == GroupBit::Inherited {
        for folder in &plan.writable {
            new_files::clear_bits(folder, began);
        }
    }
}

fn process_of(command: &[OsString]) -> Option<Command> {
    let (program, arguments) = command.split_first()?;
    let mut process = Command::new(program);
    process.args(arguments);
    Some(process)
}

/// Receives the descriptor of the command's input, which is the first message on the leash.
fn input(plan: &Plan) -> Result<Option<OwnedFd>, Failure> {
    match plan.input {
        Input::Usual => Ok(None),
        Input::Handed => handed::take(io::stdin()).map(Some).map_err(Failure::attribute_to(Part::Helper)),
    }
}

/// Closes this process's copies of stdout and stderr for a command that serves, so that the reader sees when
/// the command closes them.
fn leave_output(plan: &Plan) {
    if plan.input == Input::Handed
        && let Ok(nowhere) = fs::OpenOptions::new().write(true).open("/dev/null")
    {
        // On failure the reader sees the end a little later, when this process exits.
        let _ = rustix::stdio::dup2_stdout(&nowhere);
        let _ = rustix::stdio::dup2_stderr(&nowhere);
    }
}

/// Reports that the command is confined, and starts it.
fn start_command(
    plan: &Plan,
    watch: &Watch,
    command: &[OsString],
    input: Option<OwnedFd>,
) -> Result<Pid, u8> {
    let mut process = process_of(command).ok_or(NOT_FOUND)?;
    if plan.hold == Hold::Leash {
        say(CONFINED);
        process.stdin(input.map_or_else(Stdio::null, Stdio::from));
    }
    if plan.terminal == Terminal::Stdout {
        terminal::seat(&mut process).map_err(|error| not_started(&error))?;
    }
    let child = watch.with_signals(|| process.spawn()).map_err(|error| not_started(&error))?;
    if plan.terminal == Terminal::Stdout {
        terminal::bring_forward(child.id());
    }
    leave_output(plan);
    Ok(pid_of(child.id()))
}

fn not_started(error: &io::Error) -> u8 {
    tell(&format!("the program cannot be run: {error}"));
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE }
}

/// Asks a process to stop. A shell at a terminal ignores SIGTERM but not SIGHUP.
fn ask(plan: &Plan, whom: Pid) {
    if plan.terminal == Terminal::Stdout {
        signal(whom, Signal::SIGHUP);
    }
    signal(whom, Signal::SIGTERM);
}

/// Sends a signal. The process may have exited already, so the error is ignored.
fn signal(whom: Pid, which: Signal) {
    let _ = kill(whom, which);
}

fn pid_of(id: u32) -> Pid {
    Pid::from_raw(id.cast_signed())
}

/// Waits for a child, and reaps all others. Forwards requests to stop; kills the child when the leash is
/// released.
fn wait_for(watch: &Watch, child: Pid, pass: impl Fn()) -> u8 {
    loop {
        if let Some(code) = reap(child) {
            return code;
        }
        match watch.next() {
            Ok(News::Child) => {}
            Ok(News::Asked) => pass(),
            Ok(News::Released) | Err(_) => {
                let _ = kill(child, Signal::SIGKILL);
                let _ = waitpid(child, None);
                return NOT_CONFINED;
            }
        }
    }
}

/// Reaps all children that have ended. Returns the exit code of `child`, if it is among them.
fn reap(child: Pid) -> Option<u8> {
    let mut code = None;
    loop {
        let (pid, ended) = match waitpid(None, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
            // No shell exists that could continue a stopped command, so continue it here.
            Ok(WaitStatus::Stopped(pid, _)) if pid == child => {
                // Continue its whole group: a key stops a shell together with the program that the shell
                // waits for.
                let group = getpgid(Some(pid)).map_or(pid, |group| Pid::from_raw(-group.as_raw()));
                signal(group, Signal::SIGCONT);
                continue;
            }
            Ok(WaitStatus::Exited(pid, status)) => (pid, u8::try_from(status).unwrap_or(NOT_CONFINED)),
            Ok(WaitStatus::Signaled(pid, by, _)) => {
                (pid, u8::try_from((by as i32).saturating_add(128)).unwrap_or(NOT_CONFINED))
            }
            Ok(WaitStatus::StillAlive) => return code,
            Err(Errno::EINTR) | Ok(_) => continue,
            Err(_) => return Some(code.unwrap_or(NOT_CONFINED)),
        };
        if pid == child {
            code = Some(ended);
        }
    }
}

/// Kills all remaining descendants. When one ends, its children are reparented to this process.
fn end_children() {
    // Only a process that forks faster than it is killed needs more rounds than this.
    for _ in 0..10_000 {
        let listed = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        let children: Vec<Pid> =
            listed.split_whitespace().filter_map(|id| id.parse().ok().map(Pid::from_raw)).collect();
        if children.is_empty() {
            return;
        }
        for child in &children {
            let _ = kill(*child, Signal::SIGKILL);
        }
        for child in children {
            let _ = waitpid(child, None);
        }
    }
}
