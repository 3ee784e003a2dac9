//! Measures `codebase_search` on real files: how long the index takes, and a query.
//! `cargo run --release -p windlass-tools-index --example index_time -- FOLDER [FILES]`
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a measurement on real files")]
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_protocol::{Arguments, CallId, Payload};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Tool};
use windlass_tools_index::CodebaseSearch;

const ENDS: &[&str] = &["rs", "py", "js", "ts", "go", "java", "c", "h", "sh", "md", "toml"];
const QUERIES: &[&str] = &[
    "parse http header",
    "retry after rate limit",
    "read config file",
    "atomic reference count drop",
    "unicode normalization table",
    "tokenizer stream advance",
    "spawn blocking thread pool",
    "sha256 digest update",
    "deserialize map key",
    "open directory without following links",
];
const ROUNDS: usize = 20;

/// Copies so many source files into a folder of their own.
fn copy(from: &Path, to: &Path, count: usize) -> (usize, u64) {
    let mut open: Vec<PathBuf> = vec![from.to_path_buf()];
    let (mut copied, mut bytes) = (0, 0);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_source = path.extension().is_some_and(|end| ENDS.iter().any(|known| end == *known));
            if path.is_dir() {
                open.push(path);
            } else if is_source && copied < count {
                let target = to.join(path.strip_prefix(from).unwrap());
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                bytes += fs::copy(path, target).unwrap();
                copied += 1;
            }
        }
    }
    (copied, bytes)
}

/// How long all threads have run on a processor so far, which other work on the machine changes little; Linux
/// tells it in hundredths of a second.
fn processor() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = behind_name.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap_or_default());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

fn main() {
    let from = PathBuf::from(std::env::args().nth(1).expect("give a folder"));
    let count = std::env::args().nth(2).map_or(10_000, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    fs::create_dir(&root).unwrap();
    let (files, bytes) = copy(&from, &root, count);
    println!("{files} files, {} MB", bytes / 1_000_000);
    let workspace = Arc::new(Workspace::open(&root).unwrap());
    let tool = CodebaseSearch::new(workspace, folder.path().join("state")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let call = |query: &str| {
        let arguments = Arguments::parse(format!(r#"{{"query": "{query}"}}"#)).unwrap();
        let ctx = Context::new(CallId::new("call_1").unwrap());
        let start = Instant::now();
        let output = runtime.block_on(tool.call(&ctx, &Payload::Function { arguments })).unwrap();
        (start.elapsed(), output)
    };
    let begin = processor();
    let first = call("parse").0;
    let used = processor().saturating_sub(begin);
    println!("first call, which makes the index: {first:.1?}, {used:.1?} of processor");
    // From here on nothing has changed shortly before a look.
    std::thread::sleep(Duration::from_secs(3));
    let begin = processor();
    let mut times: Vec<Duration> =
        (0..ROUNDS).flat_map(|_| QUERIES.iter().map(|query| call(query).0)).collect();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let used = (processor().saturating_sub(begin)) / u32::try_from(times.len()).unwrap();
    let (p50, p99) = (at(50), at(99));
    println!(
        "{} queries, files looked at by each: p50 {p50:.1?}, p99 {p99:.1?}, {used:.1?} of processor",
        times.len()
    );
    println!("{:?}", call("spawn blocking thread pool").1.content.first());
}
