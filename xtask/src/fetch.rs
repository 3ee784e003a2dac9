//! Downloads the packages in the lock files, so that later steps need no registry.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::capture;
use crate::ci::Outcome;

/// The manifests of the workspace and of the excluded packages with their own lock files.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "fuzz/Cargo.toml", "benches/peers/Cargo.toml"];

/// Fetches all packages for all platforms: `cargo metadata` and `cargo deny` also read packages of other
/// platforms, which a build does not download. Fails if a lock file does not match its manifest.
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
