//! The Landlock rules of a confined process: the paths that it may read and write, and the ports that it may
//! connect to.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort,
    PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};

use crate::plan::{Plan, Terminal};

/// The required rights. Without `Truncate` (ABI 3), a file outside could be emptied.
const NEEDED: ABI = ABI::V3;
/// The rights that are used if the kernel supports them: TCP, devices, signals and abstract sockets.
const WANTED: ABI = ABI::V7;

/// The devices that programs expect to be writable.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts this thread and all its future children permanently. Returns the kernel's Landlock version.
pub(crate) fn restrict(plan: &Plan, own_folders: &[&Path]) -> Result<i32, String> {
    let status = apply(plan, own_folders).map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("the kernel does not enforce it".to_owned()),
        _ if !status.no_new_privs => Err("new privileges are not ruled out".to_owned()),
        _ => match status.landlock {
            LandlockStatus::Available { effective_abi, kernel_abi } => {
                Ok(kernel_abi.unwrap_or(effective_abi as i32))
            }
            other => Err(format!("the kernel reports {other:?}")),
        },
    }
}

fn apply(plan: &Plan, own_folders: &[&Path]) -> Result<RestrictionStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?;
    // A granted port is useful only if all other ports are closed.
    let network = if plan.ports.is_empty() { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let ruleset = ruleset.set_compatibility(network).handle_access(AccessNet::from_all(WANTED))?;
    let ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?;
    let mut rules = ruleset.create()?;
    let read = AccessFs::from_read(WANTED);
    for path in &plan.readable {
        rules = grant(rules, path, read)?;
    }
    rules = grant(rules, Path::new("/proc"), AccessFs::ReadFile | AccessFs::ReadDir)?;
    for path in plan.writable.iter().map(std::path::PathBuf::as_path).chain(own_folders.iter().copied()) {
        rules = grant(rules, path, AccessFs::from_all(NEEDED))?;
    }
    for device in DEVICES {
        rules = grant(rules, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    if plan.terminal == Terminal::Stdout {
        let use_it = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
        rules = grant(rules, Path::new("/dev/tty"), use_it)?;
    }
    for port in &plan.ports {
        rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
    }
    rules.restrict_self()
}

/// Adds a rule for a path. A path that does not exist adds nothing.
fn grant(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(handle) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(WANTED) };
    rules.add_rule(PathBeneath::new(handle, access))
}
