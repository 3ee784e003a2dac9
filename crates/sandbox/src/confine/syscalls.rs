//! The seccomp filter of a confined process (SECURITY "Sandbox").

mod modes;

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

pub(crate) use self::modes::GroupBit;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// System calls that are refused with any arguments: access to other processes' memory, mounts and
/// namespaces, `io_uring` (which creates sockets without passing a seccomp filter), keys, kernel code, files
/// by handle.
const REFUSED: [i64; 37] = [
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_open_by_handle_at,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
];

/// The flags of `clone` that create namespaces.
const NEW_NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The ioctl requests that insert characters into the terminal's input queue as if the user had typed them.
const TERMINAL_INPUT: [u64; 2] = [libc::TIOCSTI, 0x541C];

/// Installs the filter for this process and all its future children, permanently. `group_bit` decides whether
/// the child may set the setgid bit.
pub(crate) fn restrict(ports: &[u16], group_bit: GroupBit) -> Result<(), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    // These calls pass their flags and modes in memory, which a filter cannot read. Programs that get ENOSYS
    // fall back to `clone` and `openat`, as on older kernels.
    let absent = [libc::SYS_clone3, libc::SYS_openat2].map(|call| (call, Vec::new()));
    let absent = program(absent.into(), libc::ENOSYS)?;
    let refused = program(refusal_rules(ports, group_bit).map_err(|error| words(&error))?, libc::EPERM)?;
    apply_filter(&absent).map_err(|error| words(&error))?;
    apply_filter(&refused).map_err(|error| words(&error))
}

fn program(rules: Rules, errno: i32) -> Result<BpfProgram, String> {
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().map_err(|error| format!("{error}"))?;
    let filter = SeccompFilter::new(with_x32(rules), SeccompAction::Allow, action, architecture);
    filter.and_then(TryInto::try_into).map_err(|error: seccompiler::BackendError| error.to_string())
}

fn refusal_rules(ports: &[u16], group_bit: GroupBit) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    let mut namespaces = Vec::new();
    for flag in NEW_NAMESPACES {
        let flag = u64::from(flag.unsigned_abs());
        namespaces.push(SeccompRule::new(vec![when(0, SeccompCmpOp::MaskedEq(flag), flag)?])?);
    }
    rules.insert(libc::SYS_clone, namespaces);
    let mut terminal = Vec::new();
    for request in TERMINAL_INPUT {
        terminal.push(SeccompRule::new(vec![when(1, SeccompCmpOp::Eq, request)?])?);
    }
    rules.insert(libc::SYS_ioctl, terminal);
    rules.insert(libc::SYS_socketpair, all_but_streams()?);
    rules.insert(libc::SYS_socket, if ports.is_empty() { Vec::new() } else { all_but_tcp()? });
    modes::refuse(&mut rules, group_bit)?;
    Ok(rules)
}

/// Refuses every socket but TCP if a port is granted, because Landlock filters no other protocol.
fn all_but_tcp() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let number = |value: i32| u64::from(value.unsigned_abs());
    let mut rules = vec![
        SeccompRule::new(vec![
            when(0, SeccompCmpOp::Ne, number(libc::AF_INET))?,
            when(0, SeccompCmpOp::Ne, number(libc::AF_INET6))?,
        ])?,
        SeccompRule::new(vec![
            when(2, SeccompCmpOp::Ne, 0)?,
            when(2, SeccompCmpOp::Ne, number(libc::IPPROTO_TCP))?,
        ])?,
    ];
    rules.extend(all_types_but(&[libc::SOCK_STREAM])?);
    Ok(rules)
}

/// Refuses socket pairs except those that stay connected. An end of a datagram pair can send to every
/// datagram socket with a path, for example to the host's log.
fn all_but_streams() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let local = u64::from(libc::AF_UNIX.unsigned_abs());
    let mut rules = vec![SeccompRule::new(vec![when(0, SeccompCmpOp::Ne, local)?])?];
    rules.extend(all_types_but(&[libc::SOCK_STREAM, libc::SOCK_SEQPACKET])?);
    Ok(rules)
}

/// Refuses all socket types except `allowed`. The type is the low four bits of the argument; seccomp has no
/// comparison "masked and not equal".
fn all_types_but(allowed: &[i32]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let is_allowed = |kind: u64| allowed.iter().any(|known| u64::from(known.unsigned_abs()) == kind);
    let refused = (0..16).filter(|kind| !is_allowed(*kind));
    refused.map(|kind| SeccompRule::new(vec![when(1, SeccompCmpOp::MaskedEq(0xf), kind)?])).collect()
}

fn when(
    argument: u8,
    compare: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)
}

/// Adds the same rules for the numbers of the x32 ABI, which shares the architecture of x86-64.
#[cfg(target_arch = "x86_64")]
fn with_x32(mut rules: Rules) -> Rules {
    const X32: i64 = 0x4000_0000;
    let twins: Vec<_> = rules.iter().map(|(call, rule)| (call | X32, rule.clone())).collect();
    rules.extend(twins);
    // The range of calls that x32 renumbers, for example `ptrace` and `ioctl`, is refused as a whole.
    rules.extend((512..=547).map(|call| (call | X32, Vec::new())));
    rules
}

#[cfg(not(target_arch = "x86_64"))]
fn with_x32(rules: Rules) -> Rules {
    rules
}
