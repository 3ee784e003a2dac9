//! Measures checkpoints of a folder: the first, one without changes, one with a changed file, a diff, disk.
//! `cargo run --release -p windlass-checkpoint --example cost -- FOLDER`
#![expect(clippy::disallowed_methods, reason = "a measurement on real files")]
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use windlass_checkpoint::{Checkpoints, DiffEnd};

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    println!("{what:<32} {:>8.1?}", start.elapsed());
    done
}

fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

fn main() -> Result<(), Box<dyn Error>> {
    let work = std::env::args().nth(1).ok_or("give a folder")?;
    let state = tempfile::tempdir()?;
    let open = || Checkpoints::open(&work, state.path());
    let checkpoints = timed("opening, with a new repository", open)?;
    let first = timed("the first", || checkpoints.take("first"))?;
    let probe = Path::new(&work).join("windlass-cost-probe");
    for round in 0..3 {
        timed("nothing changed", || checkpoints.take("nothing"))?;
        std::fs::write(&probe, format!("{round}\n"))?;
        timed("one file changed", || checkpoints.take("one"))?;
    }
    let diff = timed("the diff since the first", || checkpoints.diff(&first.checkpoint.id, DiffEnd::Now));
    std::fs::remove_file(probe)?;
    println!("{} bytes of diff; {:?}", diff?.text.len(), first.left_out);
    timed("the first of another process", || open().and_then(|other| other.take("other")))?;
    println!("{} kB are kept", bytes(state.path()) / 1024);
    Ok(())
}
