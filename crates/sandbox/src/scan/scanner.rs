//! The walk of a scan: lists folders within the limits, and lists changed ones again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_command::{is_protected_name, is_secret_name};

use super::content::{Content, is_fetched_secret, is_settings_name, reads_content};
use super::tree::{Name, Root, Stamp};
use super::{FETCHED, Limits, STORES, Scan};

/// The maximum time to wait until the workspace is at rest.
const SETTLING: Duration = Duration::from_millis(400);
/// Change times advance in steps of up to this duration. A folder that changed within the last step can change again
/// and keep its change time.
const TICK: Duration = Duration::from_millis(10);

/// The state of a scan that runs.
pub(super) struct Scanner<'r> {
    root: &'r Root,
    limits: Limits,
    found: Scan,
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

impl<'r> Scanner<'r> {
    pub(super) fn new(root: &'r Root, limits: Limits) -> Self {
        Self {
            root,
            limits,
            found: Scan { is_settled: true, ..Scan::default() },
            seen: 0,
            fetched: 0,
            contents: 0,
            is_cut: false,
            is_cut_in_fetched: false,
            folders: HashMap::new(),
        }
    }

    /// Scans everything, and returns the results with paths relative to the root.
    pub(super) fn run(mut self) -> Scan {
        self.walk(Waiting { path: PathBuf::new(), depth: 0, part: Part::Own });
        self.settle();
        if self.is_cut {
            self.found.add_gap(format!(
                "the workspace has more than {} entries, or more than {} secrets: secrets behind them are not hidden",
                self.limits.entries, self.limits.found
            ));
        }
        if self.is_cut_in_fetched {
            self.found.add_gap(format!(
                "folders of fetched or built files have more than {} entries: secrets behind them are not hidden",
                self.limits.fetched
            ));
        }
        self.found
    }

    /// Lists a folder and everything below it. Fetched folders come last, so that they do not use up the
    /// limits of the others.
    fn walk(&mut self, first: Waiting) {
        let (mut waiting, mut later) = (vec![first], Vec::new());
        while let Some(next) = waiting.pop().or_else(|| later.pop()) {
            if next.depth > self.limits.depth {
                self.found
                    .add_gap(format!("secrets deeper than {} folders are not hidden", self.limits.depth));
                continue;
            }
            for below in self.list_folder(&next) {
                if below.part == Part::Fetched { later.push(below) } else { waiting.push(below) }
            }
        }
    }

    /// Lists one folder, records its names and returns the folders to list next.
    fn list_folder(&mut self, folder: &Waiting) -> Vec<Waiting> {
        let Ok((stamp, names)) = self.root.list(&folder.path) else { return Vec::new() };
        if let Some(before) = self.folders.remove(&folder.path) {
            // The folder is listed again, so subtract its earlier counts.
            let count = if folder.part == Part::Fetched { &mut self.fetched } else { &mut self.seen };
            *count = count.saturating_sub(before.names);
            self.contents = self.contents.saturating_sub(before.contents);
        }
        let (listed, contents, is_young) = (names.len(), self.contents, stamp.is_younger(TICK));
        if is_bare_repository(&names) && folder.part != Part::Protected {
            self.found.bare.push(folder.path.clone());
        }
        let mut below = Vec::new();
        for name in names {
            let (count, most) = match folder.part {
                Part::Fetched => (&mut self.fetched, self.limits.fetched),
                Part::Own | Part::Protected => (&mut self.seen, self.limits.entries),
            };
            *count += 1;
            let is_full = self.found.protected.len() + self.found.secrets.len() >= self.limits.found;
            if *count > most || is_full {
                match folder.part {
                    Part::Fetched => self.is_cut_in_fetched = true,
                    Part::Own | Part::Protected => self.is_cut = true,
                }
                break;
            }
            below.extend(self.classify_name(folder, &name));
        }
        let contents = self.contents.saturating_sub(contents);
        let seen = ListedFolder { stamp, is_young, names: listed, contents };
        self.folders.insert(folder.path.clone(), seen);
        below
    }

    fn classify_name(&mut self, folder: &Waiting, name: &Name) -> Option<Waiting> {
        let path = folder.path.join(&name.text);
        let text = name.text.to_string_lossy();
        let (protected, secret) = (is_protected_name(&text), is_secret_name(&text));
        if name.is_link {
            // A link itself cannot be covered, but its target can.
            if secret && let Some(target) = self.root.target(&path) {
                self.found.add_secret(self.root, target);
            }
            return None;
        }
        if protected && folder.part != Part::Protected && !self.found.protected.contains(&path) {
            self.found.protected.push(path.clone());
        }
        if !name.is_folder {
            self.check_file(folder.part, path, &text, secret);
            return None;
        }
        // A folder of keys is hidden as a whole. Other folders with secret names contain programs.
        if protected && secret {
            // An empty one is the stand-in of another command and is removed when that command ends.
            if !self.root.list(&path).is_ok_and(|(_, names)| names.is_empty()) {
                self.found.add_secret(self.root, path);
            }
            return None;
        }
        if STORES.contains(&&*text) {
            self.check_repository(&path);
            return None;
        }
        let part = match folder.part {
            Part::Own if FETCHED.contains(&&*text) => Part::Fetched,
            Part::Own if protected => Part::Protected,
            part => part,
        };
        Some(Waiting { path, depth: folder.depth + 1, part })
    }

    fn check_file(&mut self, part: Part, path: PathBuf, name: &str, secret: bool) {
        let is_secret = match (secret, part) {
            // Certificates of authorities and settings of tools have such names too.
            (true, Part::Fetched) if is_fetched_secret(name) => self.root.contents(&path).holds_key(),
            (true, _) if is_settings_name(name) => self.root.contents(&path).holds_credential(),
            (true, _) => true,
            (false, Part::Own | Part::Protected) if reads_content(name) => {
                self.contents += 1;
                if self.contents > self.limits.contents {
                    let words = format!("only {} files were searched for secrets", self.limits.contents);
                    self.found.add_gap(words);
                    return;
                }
                match self.root.contents(&path) {
                    Content::Plain => false,
                    Content::Secret => true,
                    Content::Needed => {
                        let path = path.display();
                        self.found
                            .add_gap(format!("`{path}` holds what looks like a token and is not hidden"));
                        false
                    }
                }
            }
            (false, _) => false,
        };
        if is_secret {
            self.found.add_secret(self.root, path);
        }
    }

    /// Checks a repository's configuration, which can contain the token of a remote. The rest of a repository
    /// is not searched.
    fn check_repository(&mut self, path: &Path) {
        let config = path.join("config");
        if self.root.contents(&config).holds_credential() {
            let config = config.display();
            self.found.add_gap(format!("`{config}` holds what looks like a token and is not hidden"));
        }
    }

    /// Checks all folders again until none has changed, and records names that were added. The scan is
    /// unsettled if folders are still being moved or removed at the end.
    fn settle(&mut self) {
        let began = Instant::now();
        loop {
            let changed = self.folders.iter().filter_map(|(path, seen)| {
                let now = self.root.stamp(path);
                (seen.is_young || now != Some(seen.stamp)).then(|| (path.clone(), seen.stamp, now))
            });
            let changed: Vec<_> = changed.collect();
            if changed.is_empty() {
                self.found.is_settled = true;
                return;
            }
            let is_last = began.elapsed() > SETTLING;
            self.found.is_settled = true;
            for (path, before, now) in changed {
                if now.is_none_or(|now| !now.is_same_folder(before)) {
                    self.found.is_settled = false;
                    self.folders.remove(&path);
                }
                if now.is_some() {
                    let depth = path.components().count();
                    let part = part_of(&path);
                    self.relist(&Waiting { path, depth, part });
                }
            }
            if is_last {
                break;
            }
            std::thread::sleep(TICK / 2);
        }
        if !self.found.is_settled {
            self.found.add_gap(
                "folders of the workspace are being moved: secrets in them may not be hidden".to_owned(),
            );
        }
    }

    /// Lists a folder again, together with new folders in it.
    fn relist(&mut self, folder: &Waiting) {
        for below in self.list_folder(folder) {
            if !self.folders.contains_key(&below.path) {
                self.walk(below);
            }
        }
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
