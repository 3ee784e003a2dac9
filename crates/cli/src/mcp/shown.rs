//! A project's server as it is shown before a yes, and the digest that binds the yes to everything that was shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};
use windlass_hitl::display_safe;

use super::entry::Entry;
use super::server::folder;
use crate::arguments::SandboxName;
use crate::secrets;

/// The largest script that a yes is bound to, in bytes.
const SCRIPT_BYTES: u64 = 64 * 1024 * 1024;

/// The most words of a command and its variables, and the most folders that they name.
const MOST_WORDS: usize = 500;
const MOST_FOLDERS: usize = 50;

/// Endings that interpreters add to the name of a script or a module.
const ENDINGS: [&str; 8] = ["", ".py", ".js", ".mjs", ".cjs", ".ts", "/__main__.py", "/index.js"];

/// The server in a line, safe on a terminal.
pub(crate) fn words(entry: &Entry) -> String {
    display_safe(&entry.words())
}

/// Everything that a yes permits, a line for each: where it is or what it starts, how it is confined, and what of the
/// user's it gets. Values that look like secrets are named and not shown.
pub(crate) fn describe(entry: &Entry, root: &Path) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "    {}", display_safe(&words).replace('\n', "\\n"));
    };
    if let Some(url) = &entry.url {
        line(format!("address: {url}"));
    }
    if let Some(command) = &entry.command {
        line(format!("command: {command}"));
        for argument in &entry.args {
            line(format!("argument: {argument}"));
        }
        line(format!("starts in: {}", folder(entry, root).display()));
        line(match entry.sandbox {
            Some(SandboxName::Off) => {
                "sandbox = \"off\": it can do what you can, outside of the project too".to_owned()
            }
            Some(SandboxName::Required) => "confined; it is not started where that cannot be done".to_owned(),
            Some(SandboxName::Auto) | None => "confined as well as this machine can".to_owned(),
        });
        for path in scripts(entry, root).unwrap_or_default().keys() {
            line(format!("runs the project's file: {path} (its present content)"));
        }
    }
    for (name, value) in &entry.env {
        line(format!("sets {name} = {}", value_of(name, value)));
    }
    for name in &entry.env_vars {
        line(format!("gets YOUR variable {name}{}", secret_word(name)));
    }
    if let Some(name) = &entry.bearer_token_env_var {
        line(format!("is sent YOUR variable {name} as its bearer token"));
    }
    for (header, name) in &entry.env_http_headers {
        line(format!("is sent YOUR variable {name} as the header {header}"));
    }
    for (header, value) in &entry.http_headers {
        line(format!("is sent the header {header}: {}", value_of(&header.replace('-', "_"), value)));
    }
    text
}

fn value_of(name: &str, value: &str) -> String {
    let is_secret = secrets::is_secret(name, value) || name.eq_ignore_ascii_case("authorization");
    if is_secret {
        format!("(a secret of {} bytes, written in the file)", value.len())
    } else {
        value.to_owned()
    }
}

fn secret_word(name: &str) -> &'static str {
    if secrets::is_secret_name(name) { ", by its name a secret" } else { "" }
}

/// A digest of everything that the entry says, of the folder that it is for, and of the project's files that its command
/// names: what a human said yes to, and nothing else (RULES H11).
pub(crate) fn digest(name: &str, entry: &Entry, root: &Path) -> anyhow::Result<String> {
    let text = serde_json::to_string(entry).context("the entry does not become JSON")?;
    let place = root.as_os_str().as_encoded_bytes();
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    };
    for part in [b"windlass mcp project server 2", name.as_bytes(), place, text.as_bytes()] {
        add(part);
    }
    for (path, digest) in scripts(entry, root)? {
        add(path.as_bytes());
        add(&digest);
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// The files of the project that the command names, with digests of their content: the program, arguments, and words
/// inside of arguments and of variables, as of `sh -c`. A name counts as interpreters complete it, in the folder where the
/// server starts, in the project's, and in folders that other words name (`cd tools`, `PATH=bin`).
fn scripts(entry: &Entry, root: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let words: BTreeSet<&str> = entry
        .command
        .iter()
        .chain(&entry.args)
        .chain(entry.env.values())
        .flat_map(|text| parts(text))
        .collect();
    // A hostile entry must not make every start of the program slow.
    anyhow::ensure!(
        words.len() <= MOST_WORDS,
        "it has more than {MOST_WORDS} words, so a yes cannot be bound to it"
    );
    let start = folder(entry, root);
    let mut folders: BTreeSet<PathBuf> = words
        .iter()
        .flat_map(|word| [plain(&start.join(word)), plain(&root.join(word))])
        .filter(|path| path.starts_with(root) && path.is_dir())
        .collect();
    anyhow::ensure!(folders.len() <= MOST_FOLDERS, "it names more than {MOST_FOLDERS} folders");
    folders.extend([plain(&start), root.to_owned()]);
    let mut scripts = BTreeMap::new();
    for (folder, word) in folders.iter().flat_map(|folder| words.iter().map(move |word| (folder, word))) {
        for named in BTreeSet::from([(*word).to_owned(), word.replace('.', "/")]) {
            for ending in ENDINGS {
                let path = plain(&folder.join(format!("{named}{ending}")));
                let Ok(below) = path.strip_prefix(root) else { continue };
                let below = below.display().to_string();
                if !scripts.contains_key(&below)
                    && let Some(digest) = digest_of(&path)?
                {
                    scripts.insert(below, digest);
                }
            }
        }
    }
    Ok(scripts)
}

/// A text and the words in it, however a shell would cut them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter.is_whitespace() || "'\"`;|&<>()=,:$".contains(letter));
    std::iter::once(text).chain(words).filter(|word| !word.is_empty())
}

/// A path without `.` and `..`, by its words.
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

/// The digest of a regular file; nothing if there is none. A link is followed: what it leads to runs.
fn digest_of(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
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
    anyhow::ensure!(
        about.len() <= SCRIPT_BYTES,
        "{} is too large for a yes to be bound to it",
        path.display()
    );
    let mut hash = Sha256::new();
    let mut file = fs::File::open(path).with_context(unreadable)?.take(SCRIPT_BYTES);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match file.read(&mut chunk).with_context(unreadable)? {
            0 => return Ok(Some(hash.finalize().to_vec())),
            count => hash.update(chunk.get(..count).unwrap_or_default()),
        }
    }
}
