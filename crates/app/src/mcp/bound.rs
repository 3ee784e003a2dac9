//! Files of a project that a trust decision about a server is bound to: the scripts that the server's command
//! names, and the files that determine what its programs run, such as `package.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::entry::ServerEntry;
use super::runners::RunnerFiles;
use crate::error::{Context as _, Result, ensure};

/// Maximum size in bytes of a bound file, and of the part of a file that is searched for script names.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
const TEXT_BYTES: usize = 1024 * 1024;

/// Maximum numbers of words in a command and its variables, of folders that these words name, and of script
/// names in a deciding file. They bound the start-up time of the program for a hostile entry.
const MOST_WORDS: usize = 500;
const MOST_FOLDERS: usize = 50;
const MOST_NAMED: usize = 10_000;

/// Maximum numbers of folders that are searched for deciding files, and of directory entries that are read in
/// one folder.
const MOST_PLACES: usize = 200;
const MOST_NAMES: usize = 2_000;

/// Suffixes that interpreters append to the name of a script or a module.
const ENDINGS: [&str; 9] =
    ["", ".py", ".js", ".mjs", ".cjs", ".ts", "/__main__.py", "/__init__.py", "/index.js"];

/// File extensions of scripts that a deciding file may name.
const SCRIPTS: [&str; 24] = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "sh", "bash", "zsh", "fish", "rb", "pl",
    "php", "lua", "ps1", "bat", "cmd", "exs", "mk", "just", "gradle",
];

/// Relation of a file to the server's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRole {
    /// The command names the file.
    Named,
    /// A program of the command takes its instructions from the file.
    Decides,
    /// A deciding file names the file.
    NamedByFile,
}

/// A file that a trust decision is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BoundFile {
    pub(super) role: FileRole,
    pub(super) digest: Vec<u8>,
}

/// The project's files that control a server's execution, in their present state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoundFiles {
    /// Files by path, relative to the project. Files of an enclosing repository have absolute paths.
    pub(super) files: BTreeMap<String, BoundFile>,
    /// Names of deciding files that exist in none of the searched folders.
    pub(super) absent: BTreeSet<&'static str>,
}

impl BoundFiles {
    /// Finds the bound files of an entry.
    ///
    /// The words of the command and of its variables name scripts and folders. A name, with the suffixes that
    /// interpreters append, is looked up in the folder where the server starts, in the project's folder, and
    /// in each folder that another word names (`cd tools`, `--prefix web`, `PATH=bin`). Deciding files are
    /// looked up in these folders and in their ancestors, up to the project or the repository that contains
    /// it.
    ///
    /// # Errors
    ///
    /// Fails if a limit is exceeded, or if an existing file cannot be read.
    pub(crate) fn find(entry: &ServerEntry, root: &Path) -> Result<Self> {
        if entry.command.is_none() {
            return Ok(Self::default());
        }
        let words = words(entry)?;
        let command: Vec<String> = entry.command.iter().chain(&entry.args).cloned().collect();
        let deciding = RunnerFiles::find(&command);
        let search = Search { root, top: top(root), start: plain(&entry.folder(root)) };
        let folders = search.folders(&words)?;
        let mut bound = Self::default();
        let named = search.add_named(&words, &folders, &mut bound)?;
        let places = search.places(folders.iter().chain(&named))?;
        bound.add_deciding(&search, &places, &deciding)?;
        // A bare name can also be a program that one of the project's packages installed.
        let bins = places.iter().flat_map(|place| deciding.bins.iter().map(|bin| place.join(bin)));
        let bins: BTreeSet<PathBuf> = bins.filter(|folder| folder.is_dir()).take(MOST_FOLDERS).collect();
        search.add_named(&words, &bins, &mut bound)?;
        Ok(bound)
    }

    fn add_deciding(
        &mut self,
        search: &Search<'_>,
        places: &BTreeSet<PathBuf>,
        deciding: &RunnerFiles,
    ) -> Result<()> {
        self.absent = deciding.files.union(&deciding.locks).copied().collect();
        for place in places {
            for &name in &deciding.locks {
                self.add_file(search, &place.join(name), name)?;
            }
            for &name in &deciding.files {
                for path in expand(place, name) {
                    if self.add_file(search, &path, name)? {
                        self.add_named_by(search, &path)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a deciding file. Returns true if the file exists.
    fn add_file(&mut self, search: &Search<'_>, path: &Path, name: &'static str) -> Result<bool> {
        let is_there = self.add(search, path, FileRole::Decides)?;
        if is_there {
            self.absent.remove(name);
        }
        Ok(is_there)
    }

    /// Adds the scripts that a deciding file names, relative to its own folder and to the folder where the
    /// server starts.
    fn add_named_by(&mut self, search: &Search<'_>, file: &Path) -> Result<()> {
        let Ok(text) = fs::read(file) else { return Ok(()) };
        let text = String::from_utf8_lossy(text.get(..TEXT_BYTES).unwrap_or(&text));
        let named: BTreeSet<&str> = parts(&text).filter(|word| may_be_script(word)).collect();
        ensure!(
            named.len() <= MOST_NAMED,
            Invalid,
            "{} names more than {MOST_NAMED} files, so an approval cannot be bound to it",
            file.display()
        );
        let own = file.parent().unwrap_or(search.root);
        for folder in BTreeSet::from([own, search.start.as_path()]) {
            for name in &named {
                let path = plain(&folder.join(name));
                if is_script(&path) {
                    self.add(search, &path, FileRole::NamedByFile)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a file of the project. Returns true if the file exists.
    fn add(&mut self, search: &Search<'_>, path: &Path, role: FileRole) -> Result<bool> {
        let Some(name) = search.name_of(path) else { return Ok(false) };
        if self.files.contains_key(&name) {
            return Ok(true);
        }
        let Some(digest) = digest_of(path)? else { return Ok(false) };
        self.files.insert(name, BoundFile { role, digest });
        Ok(true)
    }
}

/// The folders of a search.
struct Search<'a> {
    root: &'a Path,
    /// Root of the repository that contains the project, or the project's folder.
    top: PathBuf,
    /// Folder where the server starts.
    start: PathBuf,
}

impl Search<'_> {
    /// Returns the folders that the words name, the folder where the server starts, and the project's folder.
    fn folders(&self, words: &BTreeSet<&str>) -> Result<BTreeSet<PathBuf>> {
        let mut folders: BTreeSet<PathBuf> = words
            .iter()
            .flat_map(|word| [plain(&self.start.join(word)), plain(&self.root.join(word))])
            .filter(|path| path.starts_with(&self.top) && path.is_dir())
            .collect();
        ensure!(folders.len() <= MOST_FOLDERS, Invalid, "it names more than {MOST_FOLDERS} folders");
        folders.extend([self.start.clone(), self.root.to_owned()]);
        Ok(folders)
    }

    /// Adds the files that the words name in these folders. Returns the folders of the files that exist.
    fn add_named(
        &self,
        words: &BTreeSet<&str>,
        folders: &BTreeSet<PathBuf>,
        bound: &mut BoundFiles,
    ) -> Result<BTreeSet<PathBuf>> {
        let mut found = BTreeSet::new();
        for (folder, word) in folders.iter().flat_map(|folder| words.iter().map(move |word| (folder, word))) {
            for name in spellings(word) {
                let path = plain(&folder.join(name));
                if bound.add(self, &path, FileRole::Named)? {
                    found.extend(path.parent().map(Path::to_owned));
                }
            }
        }
        Ok(found)
    }

    /// Returns the folders and their ancestors up to `top`.
    fn places<'p>(&self, folders: impl Iterator<Item = &'p PathBuf>) -> Result<BTreeSet<PathBuf>> {
        let above = |folder: &'p PathBuf| folder.ancestors().take_while(|above| above.starts_with(&self.top));
        let places: BTreeSet<PathBuf> = folders.flat_map(above).map(Path::to_owned).collect();
        ensure!(
            places.len() <= MOST_PLACES,
            Invalid,
            "its folders have more than {MOST_PLACES} folders above them"
        );
        Ok(places)
    }

    /// Returns the displayed and hashed name of a file, or `None` if the file is outside of the project's
    /// repository.
    fn name_of(&self, path: &Path) -> Option<String> {
        let inside = path.starts_with(&self.top);
        inside.then(|| path.strip_prefix(self.root).unwrap_or(path).display().to_string())
    }
}

/// Returns the words of the command and of the values of its variables, split at every character that a shell
/// may split at.
fn words(entry: &ServerEntry) -> Result<BTreeSet<&str>> {
    let texts = entry.command.iter().chain(&entry.args).chain(entry.env.values());
    let words: BTreeSet<&str> = texts.flat_map(|text| parts(text)).collect();
    ensure!(
        words.len() <= MOST_WORDS,
        Invalid,
        "it has more than {MOST_WORDS} words, so an approval cannot be bound to it"
    );
    Ok(words)
}

/// Returns a text and the words in it, split at every character that a shell may split at.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter.is_whitespace() || "'\"`;|&<>()=,:$".contains(letter));
    std::iter::once(text).chain(words).filter(|word| !word.is_empty())
}

/// Returns the paths that an interpreter may resolve a word to. `pkg.srv` is a module in a package, and the
/// package's own file runs first.
fn spellings(word: &str) -> BTreeSet<String> {
    let module = word.replace('.', "/");
    let mut names: BTreeSet<String> = [word, &module]
        .iter()
        .flat_map(|name| ENDINGS.iter().map(move |ending| format!("{name}{ending}")))
        .collect();
    let packages = word.match_indices('.').filter_map(|(at, _)| word.get(..at));
    names.extend(packages.map(|package| format!("{}/__init__.py", package.replace('.', "/"))));
    names
}

/// Returns the root of the repository that contains a folder, or the folder itself.
fn top(root: &Path) -> PathBuf {
    root.ancestors().find(|above| above.join(".git").exists()).unwrap_or(root).to_owned()
}

/// Returns the path of a name in a folder. A name of the form `*.ext` gives the paths of all files with that
/// ending.
fn expand(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Some(ending) = name.strip_prefix('*') else { return vec![folder.join(name)] };
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_NAMES).flatten();
    let fits = entries.filter(|entry| entry.file_name().as_encoded_bytes().ends_with(ending.as_bytes()));
    fits.map(|entry| entry.path()).collect()
}

/// Returns true if a word may name a script: it has a script's extension or contains a slash.
fn may_be_script(word: &str) -> bool {
    word.len() < 1_024 && (has_script_ending(Path::new(word)) || word.contains('/') && !word.contains("//"))
}

/// Returns true if a file is a script: it has a script's extension or is executable.
fn is_script(path: &Path) -> bool {
    let is_executable = |about: fs::Metadata| about.is_file() && about.permissions().mode() & 0o111 != 0;
    has_script_ending(path) || fs::metadata(path).is_ok_and(is_executable)
}

fn has_script_ending(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| SCRIPTS.contains(&ending))
}

/// Returns the path without `.` and `..`, without access to the file system.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}

/// Returns the SHA-256 digest of a regular file, or `None` if it does not exist. Follows links, because the
/// target is the file that runs.
fn digest_of(path: &Path) -> Result<Option<Vec<u8>>> {
    let unreadable = || format!("{} cannot be read", path.display());
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) => {
            use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
            let is_absent = matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput);
            return if is_absent { Ok(None) } else { Err(error).with_context(unreadable) };
        }
    };
    if !about.is_file() {
        return Ok(None);
    }
    ensure!(
        about.len() <= FILE_BYTES,
        Invalid,
        "{} is too large for an approval to be bound to it",
        path.display()
    );
    let mut hash = Sha256::new();
    let mut file = fs::File::open(path).with_context(unreadable)?.take(FILE_BYTES);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match file.read(&mut chunk).with_context(unreadable)? {
            0 => return Ok(Some(hash.finalize().to_vec())),
            count => hash.update(chunk.get(..count).unwrap_or_default()),
        }
    }
}
