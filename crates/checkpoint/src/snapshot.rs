//! Writes a checkpoint with `git fast-import`: first new contents, then the names, then one atomic move of
//! the branch.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use windlass_sandbox::Workspace;

use crate::CheckpointError;
use crate::git::{Git, Stream};
use crate::lock::Lock;
use crate::object::Oid;
use crate::omitted::{OmittedPaths, message};
use crate::scan::{CheckpointLimits, Names, OmittedFiles, Scan};

const STEP: &str = "fast-import";
const WORDS: [&str; 5] = [STEP, "--quiet", "--force", "--done", "--date-format=raw"];

/// Result of a snapshot.
pub(crate) struct Snapshot {
    pub(crate) commit: Oid,
    pub(crate) tree: String,
    pub(crate) seconds: u64,
    pub(crate) names: Names,
    pub(crate) left_out: OmittedFiles,
    pub(crate) omitted: OmittedPaths,
}

/// Target of a snapshot: branch, parent commit and label.
pub(crate) struct Place<'p> {
    pub(crate) branch: &'p str,
    pub(crate) parent: Option<Oid>,
    pub(crate) label: &'p str,
    pub(crate) lock: &'p Lock,
}

/// Scans the workspace and commits its files. The branch moves at the end, in one step.
pub(crate) fn snapshot(
    git: &Git,
    workspace: &Workspace,
    limits: CheckpointLimits,
    before: &Names,
    place: &Place<'_>,
) -> Result<Snapshot, CheckpointError> {
    let mut stream = Stream::start(STEP, git.command(WORDS), place.lock)?;
    let mut input = stream.input().ok_or_else(no_input)?;
    let mut scan = Scan::new(workspace, limits, before);
    let scanned = scan.run(|_, bytes| {
        writeln!(input, "blob\ndata {}", bytes.len())?;
        input.write_all(bytes)?;
        input.write_all(b"\n")
    })?;
    let (names, left_out, omitted) = (scan.now, scan.left_out, scan.omitted);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let written = scanned
        .and_then(|()| commit(&mut input, place, seconds, (before, &names), &omitted))
        .and_then(|()| input.flush());
    drop(input);
    let (commit, tree) = finish(stream, written)?;
    Ok(Snapshot { commit, tree, seconds, names, left_out, omitted })
}

/// Commits other names on top of a commit. The repository must already contain all their objects.
pub(crate) fn recommit(
    git: &Git,
    names: (&Names, &Names),
    place: &Place<'_>,
) -> Result<Oid, CheckpointError> {
    let mut stream = Stream::start(STEP, git.command(WORDS), place.lock)?;
    let mut input = stream.input().ok_or_else(no_input)?;
    let written = commit(&mut input, place, 0, names, &OmittedPaths::default()).and_then(|()| input.flush());
    drop(input);
    Ok(finish(stream, written)?.0)
}

fn finish(stream: Stream<'_>, written: io::Result<()>) -> Result<(Oid, String), CheckpointError> {
    let said = stream.finish(written)?;
    let silent = || CheckpointError::Git { step: STEP, said: "its output has no object ids".to_owned() };
    read(&said).ok_or_else(silent)
}

fn no_input() -> CheckpointError {
    CheckpointError::Git { step: STEP, said: "it has no open input".to_owned() }
}

fn commit(
    input: &mut impl Write,
    place: &Place<'_>,
    seconds: u64,
    (before, now): (&Names, &Names),
    omitted: &OmittedPaths,
) -> io::Result<()> {
    let names = omitted.to_bytes();
    writeln!(input, "blob\ndata {}", names.len())?;
    input.write_all(&names)?;
    input.write_all(b"\n")?;
    let label: String = place.label.chars().filter(|char| !char.is_control()).collect();
    writeln!(
        input,
        "commit {}\nmark :1\ncommitter windlass <windlass@localhost> {seconds} +0000",
        place.branch
    )?;
    let message = message(&label, Oid::hash_blob(&names));
    writeln!(input, "data {}\n{message}", message.len())?;
    if let Some(parent) = place.parent {
        writeln!(input, "from {parent}")?;
    }
    // Delete first: a new folder may have the name of a deleted file.
    for path in before.keys().filter(|path| !now.contains_key(*path)) {
        writeln!(input, "D {}", quote(path))?;
    }
    for (path, known) in now {
        let object = known.object;
        if before.get(path).is_none_or(|before| before.object != object) {
            writeln!(input, "M {} {} {}", object.kind.mode(), object.oid, quote(path))?;
        }
    }
    input.write_all(b"\nget-mark :1\nls :1 \"\"\ndone\n")
}

/// Parses the commit and tree ids from the output of fast-import, which prints no id for an empty tree.
fn read(said: &[u8]) -> Option<(Oid, String)> {
    let text = std::str::from_utf8(said).ok()?;
    let mut lines = text.lines();
    let commit = Oid::parse(lines.next()?.as_bytes())?;
    let tree = lines.next().and_then(|line| line.split([' ', '\t']).nth(2)).filter(|tree| tree.len() == 64);
    Some((commit, tree.map_or_else(empty_tree, str::to_owned)))
}

fn empty_tree() -> String {
    Sha256::digest(b"tree 0\0").iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Quotes a path with arbitrary bytes for fast-import.
fn quote(path: &Path) -> String {
    let mut text = String::from('"');
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(*byte));
            }
            b' '..=b'~' => text.push(char::from(*byte)),
            // Writing into a string cannot fail.
            _ => drop(write!(text, "\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}
