//! New namespaces with a root that contains only the grants.

pub(crate) mod below;

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{SFlag, fstat};
use nix::unistd::{getgid, getuid, pivot_root};
use rustix::thread::{CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities};

use crate::plan::Plan;

/// The folder where the new root is assembled. Every system has it, and the mount does not affect the host.
const STAGE: &str = "/tmp";
const OLD: &str = "/old";
const NEW: &str = "/new";
/// The covers of hidden files and folders, which cannot be opened.
const NO_FILE: &str = "/no-file";
const NO_FOLDER: &str = "/no-folder";
/// The places where a mount is prepared before it is moved.
const ASIDE_FILE: &str = "/aside-file";
const ASIDE_FOLDER: &str = "/aside-folder";

const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Folders of the child alone, removed at its end.
pub(crate) const PRIVATE: [&str; 2] = ["/tmp", "/dev/shm"];

/// The reason why the root could not be created: the step, and the error message of the system.
pub(crate) type Words = String;

fn words(step: &str) -> impl Fn(&dyn std::fmt::Display) -> Words + use<> {
    let step = step.to_owned();
    move |error| format!("{step}: {error}")
}

/// Leaves the host's namespaces. The next process to be started is the first of the new ones and may still
/// mount.
pub(crate) fn leave(with_network: bool) -> Result<(), Words> {
    let (user, group) = (getuid(), getgid());
    let mut flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if !with_network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    unshare(flags).map_err(|error| words("unshare")(&error))?;
    let files = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ];
    for (file, text) in files {
        fs::write(file, text).map_err(|error| words(file)(&error))?;
    }
    // Without root, the capabilities in the new namespace would end with the next exec.
    let mounting = CapabilitySet::SYS_ADMIN | CapabilitySet::SETPCAP;
    let mut sets = capabilities(None).map_err(|error| words("capabilities")(&error))?;
    sets.inheritable |= mounting;
    set_capabilities(None, sets).map_err(|error| words("capabilities")(&error))?;
    for capability in [CapabilitySet::SYS_ADMIN, CapabilitySet::SETPCAP] {
        configure_capability_in_ambient_set(capability, true)
            .map_err(|error| words("ambient capabilities")(&error))?;
    }
    Ok(())
}

/// Creates the new root and enters it. The host's file tree cannot be reached afterwards.
pub(crate) fn enter(plan: &Plan) -> Result<(), Words> {
    let none = None::<&str>;
    // The mount namespace is created only here, because the outer process keeps the host's tree to clean up
    // there.
    unshare(CloneFlags::CLONE_NEWNS).map_err(|error| words("unshare")(&error))?;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)
        .map_err(|error| words("making mounts private")(&error))?;
    memory(STAGE, "mode=0755,size=1m")?;
    fs::create_dir(format!("{STAGE}{OLD}")).map_err(|error| words(OLD)(&error))?;
    pivot_root(STAGE, &*format!("{STAGE}{OLD}")).map_err(|error| words("pivot_root")(&error))?;
    std::env::set_current_dir("/").map_err(|error| words("/")(&error))?;
    fs::create_dir(NEW).map_err(|error| words(NEW)(&error))?;
    close_mounts()?;
    memory(NEW, "mode=0755,size=16m")?;
    own_places()?;
    mount_granted(plan)?;
    mount_exceptions(plan)?;
    // Make the tmpfs that holds the mounts read-only.
    let frame =
        MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(none, NEW, none, frame, none).map_err(|error| words("closing the root")(&error))?;
    umount2(OLD, MntFlags::MNT_DETACH).map_err(|error| words("leaving the host's root")(&error))?;
    std::env::set_current_dir(NEW).map_err(|error| words(NEW)(&error))?;
    pivot_root(".", ".").map_err(|error| words("pivot_root")(&error))?;
    umount2(".", MntFlags::MNT_DETACH).map_err(|error| words("leaving the stage")(&error))?;
    std::env::set_current_dir("/").map_err(|error| words("/")(&error))
}

fn close_mounts() -> Result<(), Words> {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o000).open(NO_FILE);
    file.map_err(|error| words(NO_FILE)(&error))?;
    fs::DirBuilder::new().mode(0o000).create(NO_FOLDER).map_err(|error| words(NO_FOLDER)(&error))?;
    let (none, flags) = (None::<&str>, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV);
    for cover in [NO_FILE, NO_FOLDER] {
        mount(Some(cover), cover, none, MsFlags::MS_BIND, none).map_err(|error| words(cover)(&error))?;
        mount(none, cover, none, flags | MsFlags::MS_BIND | MsFlags::MS_REMOUNT, none)
            .map_err(|error| words(cover)(&error))?;
    }
    Ok(())
}

/// Creates `/proc`, `/dev` and the private folders.
fn own_places() -> Result<(), Words> {
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let inside = |path: &str| PathBuf::from(format!("{NEW}{path}"));
    for folder in ["/proc", "/dev", "/tmp"] {
        fs::create_dir(inside(folder)).map_err(|error| words(folder)(&error))?;
    }
    mount(Some("proc"), &inside("/proc"), Some("proc"), quiet | MsFlags::MS_RDONLY, None::<&str>)
        .map_err(|error| words("a fresh /proc")(&error))?;
    for device in DEVICES {
        let (from, to) = (format!("{OLD}/dev/{device}"), inside(&format!("/dev/{device}")));
        if Path::new(&from).exists() {
            fs::File::create(&to).map_err(|error| words(device)(&error))?;
            mount(Some(&*from), &to, None::<&str>, MsFlags::MS_BIND, None::<&str>)
                .map_err(|error| words(device)(&error))?;
        }
    }
    for (name, target) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
    {
        symlink(target, inside(&format!("/dev/{name}"))).map_err(|error| words(name)(&error))?;
    }
    fs::create_dir(inside("/dev/shm")).map_err(|error| words("/dev/shm")(&error))?;
    for folder in PRIVATE {
        memory(&format!("{NEW}{folder}"), "mode=1777,size=1g")?;
    }
    Ok(())
}

fn memory(place: &str, options: &str) -> Result<(), Words> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), place, Some("tmpfs"), flags, Some(options)).map_err(|error| words(place)(&error))
}

/// The access to a place after it is mounted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Read,
    Write,
    /// A tmpfs for the child alone.
    Private,
}

/// Mounts the granted paths, a folder before its contents, so that a later mount does not cover an earlier
/// grant.
fn mount_granted(plan: &Plan) -> Result<(), Words> {
    let read = plan.readable.iter().map(|path| (path, Mode::Read));
    let write = plan.writable.iter().map(|path| (path, Mode::Write));
    let private = plan.private.iter().map(|path| (path, Mode::Private));
    let mut grants: Vec<_> = read.chain(write).chain(private).collect();
    grants.sort_by_key(|(path, mode)| (path.components().count(), *mode));
    for (path, mode) in grants {
        let Ok(relative) = path.strip_prefix("/") else { continue };
        let (from, to) = (Path::new(OLD).join(relative), Path::new(NEW).join(relative));
        let Ok(found) = fs::symlink_metadata(&from) else { continue };
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(|error| words(&path.to_string_lossy())(&error))?;
        }
        if mode == Mode::Private {
            fs::create_dir_all(&to).map_err(|error| words(&path.to_string_lossy())(&error))?;
            memory(&to.to_string_lossy(), "mode=0700,size=256m")?;
            continue;
        }
        if found.is_symlink() {
            // A link such as /bin to usr/bin. If its target is not granted, the link dangles.
            let target = fs::read_link(&from).map_err(|error| words(&path.to_string_lossy())(&error))?;
            symlink(target, &to).map_err(|error| words(&path.to_string_lossy())(&error))?;
            continue;
        }
        place_for(&to, found.is_dir())?;
        bind(&from, &to, mode)?;
    }
    Ok(())
}

fn place_for(to: &Path, is_folder: bool) -> Result<(), Words> {
    if fs::symlink_metadata(to).is_ok() {
        return Ok(());
    }
    let made = if is_folder { fs::create_dir(to) } else { fs::File::create(to).map(drop) };
    made.map_err(|error| words(&to.to_string_lossy())(&error))
}

/// Closes protected paths for writing and covers hidden ones.
///
/// Other children may rename folders of the workspace at the same time. Each path is therefore opened once,
/// without following a link, and the mount is made on that handle, so it stays on the file wherever the file
/// is moved. A missing path is an error, because the file may have been moved to a path where the child can
/// read it.
fn mount_exceptions(plan: &Plan) -> Result<(), Words> {
    let root = below::root(Path::new(NEW)).map_err(|error| words(NEW)(&error))?;
    for protected in &plan.protected {
        let place = find_place(&root, protected.path(), "protected")?;
        close(&place).map_err(|error| format!("{}: {error}", protected.path.display()))?;
    }
    for hidden in plan.covers() {
        let path = &hidden.path;
        let place = find_place(&root, path, "hidden")?;
        if hidden.identity.is_some_and(|known| known != place.identity) {
            return Err(format!(
                "`{}` is another file than the one that is to be hidden, try again",
                path.display()
            ));
        }
        let cover = if place.is_folder { NO_FOLDER } else { NO_FILE };
        put_over(cover, &place.handle).map_err(|error| words(&path.to_string_lossy())(&error))?;
    }
    Ok(())
}

/// A file or folder in the new root, held by a handle.
struct Place {
    handle: OwnedFd,
    is_folder: bool,
    /// Device and inode.
    identity: (u64, u64),
}

fn find_place(root: &OwnedFd, path: &Path, what: &str) -> Result<Place, Words> {
    let below = path.strip_prefix("/").unwrap_or(path);
    let failed = |error: &dyn std::fmt::Display| {
        format!("`{}` was moved or removed while it was to be {what}, try again: {error}", path.display())
    };
    let handle = below::open_name(root, below).map_err(|error| failed(&error))?;
    let found = fstat(&handle).map_err(|error| failed(&error))?;
    let kind = found.st_mode & SFlag::S_IFMT.bits();
    // A mount would cover the link's target and leave the link itself changeable.
    if kind == SFlag::S_IFLNK.bits() {
        return Err(format!("`{}` is a link and cannot be {what}", path.display()));
    }
    let is_folder = kind == SFlag::S_IFDIR.bits();
    Ok(Place { handle, is_folder, identity: (found.st_dev, found.st_ino) })
}

/// Returns the path under `/proc` by which the kernel resolves a handle of this process.
fn path_of(handle: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("{OLD}/proc/self/fd/{}", handle.as_raw_fd()))
}

/// Makes a place read-only, together with all mounts below it. The mount is prepared where no other process
/// sees it and is moved to the place when it is read-only; by then the place may have another path.
fn close(place: &Place) -> Result<(), Words> {
    let aside = Path::new(if place.is_folder { ASIDE_FOLDER } else { ASIDE_FILE });
    place_for(aside, place.is_folder)?;
    bind(&path_of(&place.handle), aside, Mode::Read)?;
    let none = None::<&str>;
    mount(Some(aside), &path_of(&place.handle), none, MsFlags::MS_MOVE, none)
        .map_err(|error| error.to_string())
}

/// Mounts a cover on a place. The cover is already a read-only mount, and the new mount inherits that.
fn put_over(cover: &str, place: &OwnedFd) -> nix::Result<()> {
    let none = None::<&str>;
    mount(Some(cover), &path_of(place), none, MsFlags::MS_BIND, none)
}

/// Mounts a place with all mounts below it, then sets the access of each of those mounts.
fn bind(from: &Path, to: &Path, mode: Mode) -> Result<(), Words> {
    let failed = words(&to.to_string_lossy());
    let none = None::<&str>;
    mount(Some(from), to, none, MsFlags::MS_BIND | MsFlags::MS_REC, none).map_err(|error| failed(&error))?;
    let table = fs::read_to_string(format!("{OLD}/proc/self/mountinfo")).map_err(|error| failed(&error))?;
    for (place, known) in mounts(&table).filter(|(place, _)| place.starts_with(to)) {
        let mut flags =
            known | MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        if mode == Mode::Read {
            flags |= MsFlags::MS_RDONLY;
        }
        mount(none, &place, none, flags, none).map_err(|error| words(&place.to_string_lossy())(&error))?;
    }
    Ok(())
}

/// Returns the mount points with their flags. A remount has to repeat them, because the kernel refuses to
/// clear one.
fn mounts(table: &str) -> impl Iterator<Item = (PathBuf, MsFlags)> + '_ {
    table.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(4);
        let place = PathBuf::from(unescape(fields.next()?));
        let flags = fields.next()?.split(',').map(|option| match option {
            "ro" => MsFlags::MS_RDONLY,
            "nosuid" => MsFlags::MS_NOSUID,
            "nodev" => MsFlags::MS_NODEV,
            "noexec" => MsFlags::MS_NOEXEC,
            "noatime" => MsFlags::MS_NOATIME,
            "nodiratime" => MsFlags::MS_NODIRATIME,
            "relatime" => MsFlags::MS_RELATIME,
            _ => MsFlags::empty(),
        });
        Some((place, flags.fold(MsFlags::empty(), |all, flag| all | flag)))
    })
}

/// Decodes a path: the kernel writes space, tab, line feed and backslash as three octal digits.
fn unescape(field: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .into_iter()
        .fold(field.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Returns true if the kernel has a `pid_max` for each process namespace, as since 6.14. Before, the file is
/// machine-wide.
fn has_own_numbers() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-', '+']).map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (6, 14))
}

/// Limits the number of processes of this namespace by its `pid_max`. Returns true if the limit is in force.
/// After a wrap-around the kernel does not assign numbers below 300, so the value is higher by 300.
pub(crate) fn limit_processes(most: u64) -> bool {
    has_own_numbers() && fs::write("/proc/sys/kernel/pid_max", most.saturating_add(300).to_string()).is_ok()
}
