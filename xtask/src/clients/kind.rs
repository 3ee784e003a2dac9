//! The kinds of clients: libraries, and programs.

use std::path::Path;

use anyhow::Result;
use xshell::Shell;

use super::programs;
use super::suites::{self, Extent, Suites};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Libraries,
    Programs,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Libraries, Self::Programs];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Libraries => "libraries",
            Self::Programs => "programs",
        }
    }

    /// Returns the file with the answers of the mocks.
    pub(super) fn script(self) -> &'static str {
        match self {
            Self::Libraries => "xtask/clients/script.json",
            Self::Programs => programs::SCRIPT,
        }
    }

    /// Installs the clients; `extent` is that of the libraries. `scripts` is the folder with the scripts of node beside their packages.
    pub(super) fn prepare(self, sh: &Shell, scripts: &Path, extent: Extent) -> Result<Suites> {
        let mut suites = Suites::default();
        match self {
            Self::Libraries => suites::prepare(sh, scripts, extent, &mut suites)?,
            Self::Programs => programs::prepare(sh, &mut suites)?,
        }
        Ok(suites)
    }
}
