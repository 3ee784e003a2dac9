//! Finds the protected names and the secrets of a workspace, in bounded time.
//!
//! Other processes may move folders during the scan. A folder that is moved from a place that is not yet
//! listed to a listed one would be missed. The scan therefore checks every folder again at the end: a
//! folder's change time differs if a name in it was created, moved or removed.

pub(crate) mod content;
pub(crate) mod tree;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_command::{is_protected_name, is_secret_name};

use self::content::{Content, is_fetched_secret, is_settings_name, reads_content};
use self::tree::{Identity, Name, Root, Stamp};

/// Folders with built or fetched files, in great number.
pub(crate) const FETCHED: [&str; 5] = ["node_modules", "target", ".venv", "venv", "__pycache__"];
/// Folders of version control systems, which store objects by digest.
pub(crate) const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
/// The maximum time to wait until the workspace is at rest.
const SETTLING: Duration = Duration::from_millis(400);
/// Change times advance in steps of up to this. A younger folder may have changed again without a new time.
const TICK: Duration = Duration::from_millis(10);

/// The limits of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum number of names outside fetched folders.
    pub(crate) entries: usize,
    /// The maximum number of names in fetched folders.
    pub(crate) fetched: usize,
    pub(crate) depth: usize,
    pub(crate) found: usize,
    /// The maximum number of files whose contents are read.
    pub(crate) contents: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 20_000, fetched: 200_000, depth: 64, found: 1000, contents: 4000 }
    }
}

/// A secret, with the identity of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) path: PathBuf,
    pub(crate) identity: Option<Identity>,
}

/// The results of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) secrets: Vec<Secret>,
    /// Folders that git would accept as a bare repository.
    pub(crate) bare: Vec<PathBuf>,
    pub(crate) gaps: Vec<String>,
    /// True if no folder was moved during the scan.
    pub(crate) is_settled: bool,
    seen: usize,
    fetched: usize,
    contents: usize,
    is_cut: bool,
    is_cut_in_fetched: bool,
    folders: HashMap<PathBuf, ListedFolder>,
}

/// A folder that was listed.
#[derive(Clone, Copy, Debug)]
struct ListedFolder {
    stamp: Stamp,
    /// True if it may have changed after the listing without a new time.
    is_young: bool,
    /// The number of its names, and of its files whose contents were read.
    names: usize,
    contents: usize,
}

/// The part of the workspace that a folder belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Own,
    /// Below a folder that is protected as a whole.
    Protected,
    Fetched,
}

struct Waiting {
    path: PathBuf,
    depth: usize,
    part: Part,
}

impl Scan {
    pub(crate) fn run(root: &Path, limits: Limits) -> Self {
        let mut scan = Self { is_settled: true, ..Self::default() };
        let Ok(handle) = Root::open(root) else { return scan };
        scan.walk(&handle, Waiting { path: PathBuf::new(), depth: 0, part: Part::Own }, limits);
        scan.settle(&handle, limits);
        if scan.is_cut {
            scan.gap(format!(
                "the workspace has more than {} entries, or more than {} secrets: secrets behind them are not hidden",
                limits.entries, limits.found
            ));
        }
        if scan.is_cut_in_fetched {
            scan.gap(format!(
                "folders of fetched or built files have more than {} entries: secrets behind them are not hidden",
                limits.fetched
            ));
        }
        scan.absolute(root);
        scan
    }

    /// Lists a folder and everything below it. Fetched folders come last, so that they do not use up the
    /// limits of the others.
    fn walk(&mut self, root: &Root, first: Waiting, limits: Limits) {
        let (mut waiting, mut later) = (vec![first], Vec::new());
        while let Some(next) = waiting.pop().or_else(|| later.pop()) {
            if next.depth > limits.depth {
                self.gap(format!("secrets deeper than {} folders are not hidden", limits.depth));
                continue;
            }
            for below in self.folder(root, &next, limits) {
                if below.part == Part::Fetched { later.push(below) } else { waiting.push(below) }
            }
        }
    }

    /// Lists one folder, records its names and returns the folders to list next.
    fn folder(&mut self, root: &Root, folder: &Waiting, limits: Limits) -> Vec<Waiting> {
        let Ok((stamp, names)) = root.list(&folder.path) else { return Vec::new() };
        if let Some(before) = self.folders.remove(&folder.path) {
            // The folder is listed again, so subtract its earlier counts.
            let count = if folder.part == Part::Fetched { &mut self.fetched } else { &mut self.seen };
            *count = count.saturating_sub(before.names);
            self.contents = self.contents.saturating_sub(before.contents);
        }
        let (listed, contents, is_young) = (names.len(), self.contents, stamp.is_younger(TICK));
        if is_bare_repository(&names) && folder.part != Part::Protected {
            self.bare.push(folder.path.clone());
        }
        let mut below = Vec::new();
        for name in names {
            let (count, most) = match folder.part {
                Part::Fetched => (&mut self.fetched, limits.fetched),
                Part::Own | Part::Protected => (&mut self.seen, limits.entries),
            };
            *count += 1;
            let is_full = self.protected.len() + self.secrets.len() >= limits.found;
            if *count > most || is_full {
                match folder.part {
                    Part::Fetched => self.is_cut_in_fetched = true,
                    Part::Own | Part::Protected => self.is_cut = true,
                }
                break;
            }
            below.extend(self.name(root, folder, &name, limits));
        }
        let contents = self.contents.saturating_sub(contents);
        let seen = ListedFolder { stamp, is_young, names: listed, contents };
        self.folders.insert(folder.path.clone(), seen);
        below
    }

    fn name(&mut self, root: &Root, folder: &Waiting, name: &Name, limits: Limits) -> Option<Waiting> {
        let path = folder.path.join(&name.text);
        let text = name.text.to_string_lossy();
        let (protected, secret) = (is_protected_name(&text), is_secret_name(&text));
        if name.is_link {
            // A link itself cannot be covered, but its target can.
            if secret && let Some(target) = root.target(&path) {
                self.add(root, target);
            }
            return None;
        }
        if protected && folder.part != Part::Protected && !self.protected.contains(&path) {
            self.protected.push(path.clone());
        }
        if !name.is_folder {
            self.file(root, folder.part, path, &text, secret, limits);
            return None;
        }
        // A folder of keys is hidden as a whole. Other folders with secret names contain programs.
        if protected && secret {
            // An empty one is the stand-in of another command and is removed when that command ends.
            if !root.list(&path).is_ok_and(|(_, names)| names.is_empty()) {
                self.add(root, path);
            }
            return None;
        }
        if STORES.contains(&&*text) {
            self.repository(root, &path);
            return None;
        }
        let part = match folder.part {
            Part::Own if FETCHED.contains(&&*text) => Part::Fetched,
            Part::Own if protected => Part::Protected,
            part => part,
        };
        Some(Waiting { path, depth: folder.depth + 1, part })
    }

    fn file(&mut self, root: &Root, part: Part, path: PathBuf, name: &str, secret: bool, limits: Limits) {
        let is_secret = match (secret, part) {
            // Certificates of authorities and settings of tools have such names too.
            (true, Part::Fetched) if is_fetched_secret(name) => root.contents(&path).holds_key(),
            (true, _) if is_settings_name(name) => root.contents(&path).holds_credential(),
            (true, _) => true,
            (false, Part::Own | Part::Protected) if reads_content(name) => {
                self.contents += 1;
                if self.contents > limits.contents {
                    let words = format!("only {} files were looked into for secrets", limits.contents);
                    self.gap(words);
                    return;
                }
                match root.contents(&path) {
                    Content::Plain => false,
                    Content::Secret => true,
                    Content::Needed => {
                        let path = path.display();
                        self.gap(format!("`{path}` holds what looks like a token and is not hidden"));
                        false
                    }
                }
            }
            (false, _) => false,
        };
        if is_secret {
            self.add(root, path);
        }
    }

    /// Checks a repository's configuration, which can contain the token of a remote. The rest of a repository
    /// is not searched.
    fn repository(&mut self, root: &Root, path: &Path) {
        let config = path.join("config");
        if root.contents(&config).holds_credential() {
            let config = config.display();
            self.gap(format!("`{config}` holds what looks like a token and is not hidden"));
        }
    }

    fn gap(&mut self, words: String) {
        if !self.gaps.contains(&words) {
            self.gaps.push(words);
        }
    }

    fn add(&mut self, root: &Root, path: PathBuf) {
        if !self.secrets.iter().any(|known| known.path == path) {
            let identity = root.identity(&path);
            self.secrets.push(Secret { path, identity });
        }
    }

    /// Checks all folders again until none has changed, and records names that were added. The scan is
    /// unsettled if folders are still being moved or removed at the end.
    fn settle(&mut self, root: &Root, limits: Limits) {
        let began = Instant::now();
        loop {
            let changed = self.folders.iter().filter_map(|(path, seen)| {
                let now = root.stamp(path);
                (seen.is_young || now != Some(seen.stamp)).then(|| (path.clone(), seen.stamp, now))
            });
            let changed: Vec<_> = changed.collect();
            if changed.is_empty() {
                self.is_settled = true;
                return;
            }
            let is_last = began.elapsed() > SETTLING;
            self.is_settled = true;
            for (path, before, now) in changed {
                if now.is_none_or(|now| !now.is_same_folder(before)) {
                    self.is_settled = false;
                    self.folders.remove(&path);
                }
                if now.is_some() {
                    let depth = path.components().count();
                    let part = part_of(&path);
                    self.relist(root, &Waiting { path, depth, part }, limits);
                }
            }
            if is_last {
                break;
            }
            std::thread::sleep(TICK / 2);
        }
        if !self.is_settled {
            self.gap(
                "folders of the workspace are being moved: secrets in them may not be hidden".to_owned(),
            );
        }
    }

    /// Lists a folder again, together with new folders in it.
    fn relist(&mut self, root: &Root, folder: &Waiting, limits: Limits) {
        for below in self.folder(root, folder, limits) {
            if !self.folders.contains_key(&below.path) {
                self.walk(root, below, limits);
            }
        }
    }

    fn absolute(&mut self, root: &Path) {
        for path in self.protected.iter_mut().chain(&mut self.bare) {
            *path = root.join(&*path);
        }
        for secret in &mut self.secrets {
            secret.path = root.join(&secret.path);
        }
        self.bare.retain(|path| path != root);
        self.bare.dedup();
    }
}

fn part_of(path: &Path) -> Part {
    let mut part = Part::Own;
    for name in path.iter().map(std::ffi::OsStr::to_string_lossy) {
        part = match part {
            Part::Own if FETCHED.contains(&&*name) => Part::Fetched,
            Part::Own if is_protected_name(&name) => Part::Protected,
            part => part,
        };
    }
    part
}

/// Returns true if git would accept a folder with these names as a repository.
fn is_bare_repository(names: &[Name]) -> bool {
    let has = |wanted: &str, folder: bool| {
        names.iter().any(|name| name.text == wanted && (name.is_link || name.is_folder == folder))
    };
    // With `commondir`, the other two are in another folder.
    has("HEAD", false) && (has("commondir", false) || has("objects", true) && has("refs", true))
}

#[cfg(test)]
mod tests;
