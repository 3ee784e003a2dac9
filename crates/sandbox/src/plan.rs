//! What the helper process is told, as arguments: every path as it is, so nothing is quoted or escaped.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{ChildLimits, Confinement, Level};

/// Everything that the helper must know; the command follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) stage: Stage,
    pub(crate) level: Level,
    pub(crate) folder: PathBuf,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) ports: Vec<u16>,
    pub(crate) private: Vec<PathBuf>,
    pub(crate) limits: ChildLimits,
    pub(crate) hold: Hold,
    pub(crate) input: Input,
    pub(crate) terminal: Terminal,
}

/// Which of the helper's processes is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// On the host.
    Outer,
    /// The first process of the new namespaces.
    Inner,
}

/// Whether standard input is a leash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Leash,
    Free,
}

/// What the command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Nothing, or on no leash what the helper's own input is.
    Usual,
    /// The descriptor that waits on the leash.
    Handed,
}

/// Whether the command sits at a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    /// At the one that the helper's stdout is.
    Stdout,
}

impl Plan {
    pub(crate) fn of(confinement: &Confinement, level: Level, folder: &Path) -> Self {
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

    /// The arguments that say this plan and the command.
    pub(crate) fn encode(&self, command: &[OsString]) -> Vec<OsString> {
        let stage = match self.stage {
            Stage::Outer => "outer",
            Stage::Inner => "inner",
        };
        let mut words: Vec<OsString> = vec![stage.into(), self.level.word().into()];
        let mut add = |name: &str, value: OsString| words.extend([name.into(), value]);
        add("--folder", self.folder.clone().into());
        let lists = [
            ("--read", &self.readable),
            ("--write", &self.writable),
            ("--protect", &self.protected),
            ("--hide", &self.hidden),
            ("--private", &self.private),
        ];
        for (name, paths) in lists {
            for path in paths {
                add(name, path.clone().into());
            }
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

    /// Reads the arguments; what is not understood whole is refused.
    pub(crate) fn decode(words: impl IntoIterator<Item = OsString>) -> Option<(Self, Vec<OsString>)> {
        let mut words = words.into_iter();
        let stage = match words.next()?.to_str()? {
            "outer" => Stage::Outer,
            "inner" => Stage::Inner,
            _ => return None,
        };
        let level = Level::of_word(words.next()?.to_str()?)?;
        let mut plan = Self::of(&Confinement::new(), level, Path::new("/"));
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
                    "--protect" => self.protected.push(path),
                    "--hide" => self.hidden.push(path),
                    "--private" => self.private.push(path),
                    _ => return None,
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
