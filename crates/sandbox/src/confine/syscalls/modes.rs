//! Refuses file modes that run a file with the rights of its owner or group.

use std::os::unix::fs::MetadataExt;

use nix::libc;
use seccompiler::{BackendError, SeccompCmpOp, SeccompRule};

use super::{Rules, when};
use crate::plan::Plan;

/// The permission of a confined process to set the setgid bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupBit {
    Refused,
    /// A granted folder has the bit, so new folders in it inherit the bit, and `chmod 755`, `cp -p` and `tar`
    /// set it again for folders. The helper removes the bit from files after the command.
    Inherited,
}

impl GroupBit {
    pub(crate) fn from_plan(plan: &Plan) -> Self {
        let has_bit = |path| std::fs::metadata(path).is_ok_and(|found| found.mode() & libc::S_ISGID != 0);
        if plan.writable.iter().any(has_bit) { Self::Inherited } else { Self::Refused }
    }
}

/// The number of `fchmodat2`, which is the same on all architectures and missing in older headers.
const FCHMODAT2: i64 = 452;
/// The index of the mode argument of calls that set a mode.
const BY_MODE: [(i64, u8); 4] =
    [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2), (libc::SYS_mknodat, 2)];
/// The index of the mode argument of calls that only older architectures have.
#[cfg(target_arch = "x86_64")]
const BY_MODE_OF_OLD: [(i64, u8); 3] = [(libc::SYS_chmod, 1), (libc::SYS_mknod, 1), (libc::SYS_creat, 1)];
#[cfg(not(target_arch = "x86_64"))]
const BY_MODE_OF_OLD: [(i64, u8); 0] = [];

/// The argument indices of flags and mode. Without a flag that creates a file, the kernel ignores the mode,
/// which can have any value.
#[cfg(target_arch = "x86_64")]
const BY_FLAGS: [(i64, u8, u8); 2] = [(libc::SYS_openat, 2, 3), (libc::SYS_open, 1, 2)];
#[cfg(not(target_arch = "x86_64"))]
const BY_FLAGS: [(i64, u8, u8); 1] = [(libc::SYS_openat, 2, 3)];
/// `O_TMPFILE` without `O_DIRECTORY`, which it includes.
const NAMELESS: i32 = libc::O_TMPFILE & !libc::O_DIRECTORY;

/// Refuses the setuid bit, and the setgid bit unless it is inherited.
pub(super) fn refuse(rules: &mut Rules, group_bit: GroupBit) -> Result<(), BackendError> {
    let bits = match group_bit {
        GroupBit::Refused => &[libc::S_ISUID, libc::S_ISGID][..],
        GroupBit::Inherited => &[libc::S_ISUID],
    };
    for bit in bits.iter().copied().map(u64::from) {
        for (call, mode) in BY_MODE.into_iter().chain(BY_MODE_OF_OLD) {
            let rule = SeccompRule::new(vec![when(mode, SeccompCmpOp::MaskedEq(bit), bit)?])?;
            rules.entry(call).or_default().push(rule);
        }
        for (call, flags, mode) in BY_FLAGS {
            for flag in [libc::O_CREAT, NAMELESS].map(|flag| u64::from(flag.unsigned_abs())) {
                let rule = SeccompRule::new(vec![
                    when(flags, SeccompCmpOp::MaskedEq(flag), flag)?,
                    when(mode, SeccompCmpOp::MaskedEq(bit), bit)?,
                ])?;
                rules.entry(call).or_default().push(rule);
            }
        }
    }
    Ok(())
}
