//! Downloads the packages that the lock files name, so that later steps need no registry.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::capture;
use crate::ci::Outcome;

/// The workspace and the packages that stand outside of it with a lock file of their own.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "fuzz/Cargo.toml", "benches/peers/Cargo.toml"];

/// Fetches all packages for all platforms: `cargo metadata` and `cargo deny` read those of other platforms, too, which a
/// build never downloads. Fails when a lock file does not match its manifest.
pub(crate) fn all(sh: &Shell) -> Result<Outcome> {
    let mut stale = Vec::new();
    for manifest in MANIFESTS {
        if !capture::pass_through(cmd!(sh, "cargo fetch --quiet --locked --manifest-path {manifest}"))? {
            stale.push(manifest);
        }
    }
    let note =
        if stale.is_empty() { String::new() } else { format!("cannot be fetched: {}", stale.join(", ")) };
    Ok(Outcome { note, ..Outcome::from_success(stale.is_empty()) })
}
