//! The helper's processes while the command runs: who starts it, buries orphans, and ends all of them.

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
use crate::leash::{CONFINED, handed, heard};
use crate::plan::{Hold, Input, Plan, Stage, Terminal};
use crate::probe::LANDLOCK;
use crate::{Bounds, Level, Part, bubblewrap, namespaces, new_files, terminal};

use self::placeholders::Placeholders;
use self::tree::Tree;
use self::watch::{News, Watch};

const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;
/// Every process that this one may signal; of the first process of a namespace: all others in it.
const ALL: Pid = Pid::from_raw(-1);

/// On the host: makes what needs the host, starts the first process of the namespaces and waits for it.
pub(crate) fn outside(plan: &Plan, command: &[OsString], given: usize) -> Result<u8, Failure> {
    let failed = |error: io::Error| Failure(Part::Namespaces, error.to_string());
    let input = input(plan)?;
    // Made before the mounts, on the host, because what is not there cannot be mounted over.
    let (placeholders, protected) = Placeholders::make(&plan.protected).map_err(Failure::of(Part::Mounts))?;
    let tree = Tree::join(&plan.limits);
    if command.is_empty() {
        print(tree.bounds, None);
    }
    let own: Vec<_> = std::env::args_os().collect();
    let before = own.get(1..own.len().saturating_sub(given)).unwrap_or_default();
    let inner = Plan { stage: Stage::Inner, protected, ..plan.clone() };
    let (mut process, _closed) = if plan.level == Level::Bubblewrap {
        // Who is killed with it comes to this process, so that its end can be waited for.
        prctl::set_child_subreaper(true).map_err(Failure::of(Part::Helper))?;
        bubblewrap::start(&inner).map_err(|words| Failure(Part::Bubblewrap, words))?
    } else {
        namespaces::leave(!plan.ports.is_empty()).map_err(Failure::of(Part::Namespaces))?;
        (Command::new("/proc/self/exe"), Vec::new())
    };
    let watch = Watch::new(plan.hold).map_err(Failure::of(Part::Helper))?;
    let began = SystemTime::now();
    let (_plan, arguments) = plan_file::store(&inner.encode(command)).map_err(Failure::of(Part::Helper))?;
    process.args(before).args(arguments);
    let code = match plan.hold {
        Hold::Free => {
            let child = watch.unheld(|| process.spawn()).map_err(failed)?;
            let child = pid_of(child.id());
            // Without a leash nobody can tell it to tidy up.
            wait_for(&watch, child, || signal(child, Signal::SIGKILL))
        }
        Hold::Leash => {
            let (ours, theirs) = UnixStream::pair().map_err(failed)?;
            process.stdin(OwnedFd::from(theirs));
            if let Some(input) = input {
                handed::give(&ours, input).map_err(Failure::of(Part::Helper))?;
            }
            let child = watch.unheld(|| process.spawn()).map_err(failed)?;
            // With it goes the other end of the leash.
            drop(process);
            let mut said = String::new();
            let _ = BufReader::new(&ours).read_line(&mut said);
            let pass = || drop((&ours).write_all(b"t"));
            if let Err(error) = heard(&said) {
                wait_for(&watch, pid_of(child.id()), pass);
                return Err(Failure(error.part, error.words));
            }
            say(CONFINED);
            leave_output(plan);
            wait_for(&watch, pid_of(child.id()), pass)
        }
    };
    if plan.level == Level::Bubblewrap {
        end_children();
    }
    clear_bits(plan, began);
    drop(placeholders);
    drop(tree);
    Ok(code)
}

#[expect(clippy::print_stdout, reason = "a helper that is tried says what it found")]
fn print(bounds: Bounds, landlock: Option<i32>) {
    for line in bounds.lines() {
        println!("{line}");
    }
    if let Some(version) = landlock {
        println!("{LANDLOCK}{version}");
    }
}

/// The first process of the namespaces: with its end all others end.
pub(crate) fn inside(plan: &Plan, command: &[OsString]) -> Result<u8, Failure> {
    // Whoever kills the outer process kills all of them; the leash covers the moment before this.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(Failure::of(Part::Namespaces))?;
    let input = input(plan)?;
    let watch = Watch::first(plan.hold).map_err(Failure::of(Part::Helper))?;
    // If memory runs out, this tree goes first and not the host. Nothing is lost where it cannot be said.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    // The kernel counts the processes of a namespace's user, unless that is the machine's root.
    let processes = namespaces::bound_processes(plan.limits.processes) || !getuid().is_root();
    if plan.level == Level::Namespaces {
        namespaces::enter(plan).map_err(Failure::of(Part::Mounts))?;
    }
    // A session of its own has no terminal, and a signal to the group does not reach the helper.
    setsid().map_err(Failure::of(Part::Privileges))?;
    if plan.terminal == Terminal::Stdout {
        terminal::take().map_err(Failure::of(Part::Privileges))?;
    }
    let own: Vec<&Path> =
        namespaces::PRIVATE.iter().map(Path::new).chain(plan.private.iter().map(AsRef::as_ref)).collect();
    let version = confine(plan, &own)?;
    // What this process was told is no concern of the command.
    prctl::set_dumpable(false).map_err(Failure::of(Part::Privileges))?;
    if command.is_empty() {
        print(Bounds { processes, memory: false }, Some(version));
        return check(plan);
    }
    let code = started(plan, &watch, command, input)
        .map_or_else(|code| code, |child| wait_for(&watch, child, || ask(plan, ALL)));
    Ok(code)
}

/// At the level without namespaces: beside the command, in the same confinement. Without a leash there is
/// nothing to wait for, and this process becomes the command.
pub(crate) fn beside(plan: &Plan, command: &[OsString]) -> Result<u8, Failure> {
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
        setsid().map_err(Failure::of(Part::Privileges))?;
        terminal::take().map_err(Failure::of(Part::Privileges))?;
    }
    // Orphans come to this process, and are ended with the command.
    prctl::set_child_subreaper(true).map_err(Failure::of(Part::Privileges))?;
    let watch = Watch::new(plan.hold).map_err(Failure::of(Part::Helper))?;
    confine(plan, &[])?;
    let began = SystemTime::now();
    let code = started(plan, &watch, command, input)
        .map_or_else(|code| code, |child| wait_for(&watch, child, || ask(plan, child)));
    end_children();
    clear_bits(plan, began);
    Ok(code)
}

/// Takes the setuid and setgid bits from new files, where the command could set one of them.
fn clear_bits(plan: &Plan, began: SystemTime) {
    if GroupBit::of(plan) == GroupBit::Inherited {
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

/// The input that the host made for the command, taken off the leash before anything else is.
fn input(plan: &Plan) -> Result<Option<OwnedFd>, Failure> {
    match plan.input {
        Input::Usual => Ok(None),
        Input::Handed => handed::take(io::stdin()).map(Some).map_err(Failure::of(Part::Helper)),
    }
}

/// Lets go of the ends of a command that serves, so that its reader sees when the command closes them.
fn leave_output(plan: &Plan) {
    if plan.input == Input::Handed
        && let Ok(nowhere) = fs::OpenOptions::new().write(true).open("/dev/null")
    {
        // Where it fails the reader sees the end a little later, with the end of this process.
        let _ = rustix::stdio::dup2_stdout(&nowhere);
        let _ = rustix::stdio::dup2_stderr(&nowhere);
    }
}

/// Says that the command is confined, and starts it.
fn started(plan: &Plan, watch: &Watch, command: &[OsString], input: Option<OwnedFd>) -> Result<Pid, u8> {
    let mut process = process_of(command).ok_or(NOT_FOUND)?;
    if plan.hold == Hold::Leash {
        say(CONFINED);
        process.stdin(input.map_or_else(Stdio::null, Stdio::from));
    }
    if plan.terminal == Terminal::Stdout {
        terminal::seat(&mut process).map_err(|error| not_started(&error))?;
    }
    let child = watch.unheld(|| process.spawn()).map_err(|error| not_started(&error))?;
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

/// Asks to end. A shell at a terminal ignores TERM, but not that the terminal is gone.
fn ask(plan: &Plan, whom: Pid) {
    if plan.terminal == Terminal::Stdout {
        signal(whom, Signal::SIGHUP);
    }
    signal(whom, Signal::SIGTERM);
}

/// Who is gone needs no signal.
fn signal(whom: Pid, which: Signal) {
    let _ = kill(whom, which);
}

fn pid_of(id: u32) -> Pid {
    Pid::from_raw(id.cast_signed())
}

/// Waits for one child and buries the others; passes on what asks to stop; ends with the leash.
fn wait_for(watch: &Watch, child: Pid, pass: impl Fn()) -> u8 {
    loop {
        if let Some(code) = buried(child) {
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

/// Collects all children that have ended; the code of one of them, if it has.
fn buried(child: Pid) -> Option<u8> {
    let mut code = None;
    loop {
        let (pid, ended) = match waitpid(None, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
            // Nobody is there who could let the command go on.
            Ok(WaitStatus::Stopped(pid, _)) if pid == child => {
                // With all of its group: a key stops a shell together with the program that the shell waits for.
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

/// Ends all that is left below this process: when one ends, its children come here.
fn end_children() {
    // More rounds than this only who forks faster than it is killed.
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
