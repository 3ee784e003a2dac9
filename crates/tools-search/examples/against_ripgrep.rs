//! Compares `grep_file` with ripgrep on a folder: the same lines, and how long each takes.
//! `cargo run --release -p windlass-tools-search --example against_ripgrep -- FOLDER`
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a measurement on real files"
)]
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

#[expect(unreachable_pub, reason = "shared with the tests")]
#[path = "../tests/it/ripgrep.rs"]
mod ripgrep;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

fn folders(root: &Path) -> Vec<String> {
    let names =
        root.read_dir().unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with('.')).collect()
}

fn main() {
    let root = PathBuf::from(std::env::args().nth(1).expect("give a folder")).canonicalize().unwrap();
    assert!(ripgrep::is_installed(), "install ripgrep first");
    let tool = ripgrep::tool(&root);
    let mut same = 0;
    let mut ratios = Vec::new();
    for pattern in ripgrep::PATTERNS {
        let theirs = ripgrep::by_ripgrep(&root, pattern);
        // Folder by folder, because each page of a search is a search.
        let ours: BTreeSet<_> =
            folders(&root).iter().flat_map(|folder| ripgrep::by_tool(&tool, pattern, folder)).collect();
        let at_once = ripgrep::total(&ripgrep::call(&tool, pattern, ".", 0));
        same += usize::from(theirs == ours && at_once == theirs.len());
        for place in theirs.symmetric_difference(&ours).take(5) {
            println!("  only {}: {place:?}", if ours.contains(place) { "grep_file" } else { "rg" });
        }
        let quick = median(|| {
            ripgrep::command(&root, pattern).stdout(Stdio::null()).status().unwrap();
        });
        let own = median(|| drop(ripgrep::call(&tool, pattern, ".", 0)));
        let ratio = own.as_secs_f64() / quick.as_secs_f64();
        ratios.push(ratio);
        println!("{ratio:.2}  rg {quick:>7.1?}  grep_file {own:>7.1?}  {} lines  {pattern}", theirs.len());
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let all = ripgrep::PATTERNS.len();
    let middle = ratios.get(all / 2).copied().unwrap_or_default();
    let most = ratios.last().copied().unwrap_or_default();
    println!(
        "{same} of {all} patterns find the same lines; {middle:.2} times ripgrep's time at the median, {most:.2} at the most"
    );
}
