//! The plan for the helper process, encoded as arguments. Each path is an argument of its own, so nothing
//! needs quotes or escapes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::confinement::stand_in::{HiddenPath, ProtectedPath, StandIn};
use crate::{ChildLimits, Confinement, Level};

/// The instructions for the helper. The command follows them in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) stage: Stage,
    pub(crate) level: Level,
    pub(crate) folder: PathBuf,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) protected: Vec<ProtectedPath>,
    pub(crate) hidden: Vec<HiddenPath>,
    pub(crate) ports: Vec<u16>,
    pub(crate) private: Vec<PathBuf>,
    pub(crate) limits: ChildLimits,
    pub(crate) hold: Hold,
    pub(crate) input: Input,
    pub(crate) terminal: Terminal,
}

/// The process of the helper that a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The process on the host.
    Outer,
    /// The first process of the new namespaces.
    Inner,
}

/// The use of the helper's standard input: as a [leash](crate::Leash), or as the command's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Leash,
    Free,
}

/// The command's standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Without a leash the input of the helper; with a leash an empty input.
    Usual,
    /// The descriptor that is sent over the leash.
    Handed,
}

/// The command's terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    /// The terminal on the helper's stdout.
    Stdout,
}

impl Plan {
    pub(crate) fn new(confinement: &Confinement, level: Level, folder: &Path) -> Self {
        Self {
            stage: Stage::Outer,
            level,
            folder: folder.to_path_buf(),
            readable: confinement.readable.clone(),
            writable: confinement.writable.clone(),
            protected: confinement.protected.clone(),
            hidden: confinement.hidden.clone(),
            ports: confinement.ports.clone(),
            private: confinement.private.clone(),
            limits: confinement.limits,
            hold: Hold::Free,
            input: Input::Usual,
            terminal: confinement.terminal,
        }
    }

    /// Returns the hidden paths that need a cover, a folder before its contents. A path outside all grants is
    /// not visible anyway, nor is one below another cover.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is covered here"))]
    pub(crate) fn covers(&self) -> Vec<&HiddenPath> {
        let grants = self.readable.iter().chain(&self.writable).map(|path| (path, true));
        let grants: Vec<_> = grants.chain(self.private.iter().map(|path| (path, false))).collect();
        let is_seen = |path: &Path| {
            let around = grants.iter().filter(|(grant, _)| path.starts_with(grant));
            let nearest = around.max_by_key(|(grant, is_shown)| (grant.components().count(), !is_shown));
            nearest.is_some_and(|(_, is_shown)| *is_shown)
        };
        let mut hidden: Vec<&HiddenPath> =
            self.hidden.iter().filter(|hidden| is_seen(&hidden.path)).collect();
        hidden.sort_unstable_by_key(|hidden| &hidden.path);
        let mut covered: Vec<&HiddenPath> = Vec::new();
        for hidden in hidden {
            // In sorted order, a folder comes just before its contents.
            if !covered.last().is_some_and(|cover| hidden.path.starts_with(&cover.path)) {
                covered.push(hidden);
            }
        }
        covered
    }

    /// Returns the hidden paths that need a cover, to be changed. The folder of each is inside a grant.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is covered here"))]
    pub(crate) fn covers_mut(&mut self) -> Vec<&mut HiddenPath> {
        let covered: BTreeSet<PathBuf> =
            self.covers().into_iter().map(|hidden| hidden.path.clone()).collect();
        let grants: Vec<&PathBuf> = self.readable.iter().chain(&self.writable).collect();
        let is_inside = |path: &Path| {
            path.parent().is_some_and(|folder| grants.iter().any(|grant| folder.starts_with(grant)))
        };
        let wanted = |hidden: &HiddenPath| covered.contains(&hidden.path) && is_inside(&hidden.path);
        self.hidden.iter_mut().filter(|hidden| wanted(hidden)).collect()
    }

    /// Encodes the plan and the command as arguments.
    pub(crate) fn encode(&self, command: &[OsString]) -> Vec<OsString> {
        let stage = match self.stage {
            Stage::Outer => "outer",
            Stage::Inner => "inner",
        };
        let mut words: Vec<OsString> = vec![stage.into(), self.level.word().into()];
        let mut add = |name: &str, value: OsString| words.extend([name.into(), value]);
        add("--folder", self.folder.clone().into());
        let lists = [("--read", &self.readable), ("--write", &self.writable), ("--private", &self.private)];
        for (name, paths) in lists {
            for path in paths {
                add(name, path.clone().into());
            }
        }
        for hidden in &self.hidden {
            add("--hide", hidden.path.clone().into());
            if let Some((device, inode)) = hidden.identity {
                add("--hidden-file", format!("{device}:{inode}").into());
            }
            if let Some((device, inode)) = hidden.folder {
                add("--hidden-folder", format!("{device}:{inode}").into());
            }
        }
        for protected in &self.protected {
            add(protected.stand_in.option(), protected.path.clone().into());
        }
        for port in &self.ports {
            add("--port", port.to_string().into());
        }
        let limits = [
            ("--file-bytes", self.limits.file_bytes),
            ("--open-files", self.limits.open_files),
            ("--memory-bytes", self.limits.memory_bytes),
            ("--processes", self.limits.processes),
            ("--data-bytes", self.limits.data_bytes),
            ("--cpu-seconds", self.limits.cpu_seconds),
            ("--tree-memory-bytes", self.limits.tree_memory_bytes),
        ];
        for (name, limit) in limits {
            add(name, limit.to_string().into());
        }
        if self.hold == Hold::Leash {
            words.extend(["--hold".into(), "leash".into()]);
        }
        if self.input == Input::Handed {
            words.extend(["--input".into(), "handed".into()]);
        }
        if self.terminal == Terminal::Stdout {
            words.extend(["--terminal".into(), "stdout".into()]);
        }
        words.push("--".into());
        words.extend_from_slice(command);
        words
    }

    /// Decodes the arguments. Returns `None` if any of them is not understood.
    pub(crate) fn decode(words: impl IntoIterator<Item = OsString>) -> Option<(Self, Vec<OsString>)> {
        let mut words = words.into_iter();
        let stage = match words.next()?.to_str()? {
            "outer" => Stage::Outer,
            "inner" => Stage::Inner,
            _ => return None,
        };
        let level = Level::from_word(words.next()?.to_str()?)?;
        let mut plan = Self::new(&Confinement::new(), level, Path::new("/"));
        plan.stage = stage;
        plan.readable.clear();
        loop {
            let name = words.next()?;
            let name = name.to_str()?;
            if name == "--" {
                return Some((plan, words.collect()));
            }
            plan.take(name, words.next()?)?;
        }
    }

    fn take(&mut self, name: &str, value: OsString) -> Option<()> {
        let number = || value.to_str()?.parse::<u64>().ok();
        match name {
            "--hidden-file" | "--hidden-folder" => {
                let (device, inode) = value.to_str()?.split_once(':')?;
                let identity = Some((device.parse().ok()?, inode.parse().ok()?));
                let hidden = self.hidden.last_mut()?;
                *(if name == "--hidden-file" { &mut hidden.identity } else { &mut hidden.folder }) = identity;
            }
            "--port" => self.ports.push(u16::try_from(number()?).ok()?),
            "--file-bytes" => self.limits.file_bytes = number()?,
            "--open-files" => self.limits.open_files = number()?,
            "--memory-bytes" => self.limits.memory_bytes = number()?,
            "--processes" => self.limits.processes = number()?,
            "--data-bytes" => self.limits.data_bytes = number()?,
            "--cpu-seconds" => self.limits.cpu_seconds = number()?,
            "--tree-memory-bytes" => self.limits.tree_memory_bytes = number()?,
            "--hold" if value == "leash" => self.hold = Hold::Leash,
            "--input" if value == "handed" => self.input = Input::Handed,
            "--terminal" if value == "stdout" => self.terminal = Terminal::Stdout,
            _ => {
                let path = PathBuf::from(value);
                if !path.is_absolute() {
                    return None;
                }
                match name {
                    "--folder" => self.folder = path,
                    "--read" => self.readable.push(path),
                    "--write" => self.writable.push(path),
                    "--hide" => self.hidden.push(HiddenPath { path, identity: None, folder: None }),
                    "--private" => self.private.push(path),
                    _ => {
                        let stand_in = StandIn::ALL.into_iter().find(|known| known.option() == name)?;
                        self.protected.push(ProtectedPath::new(path, stand_in));
                    }
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
