//! Files that do not fit into memory: a sparse one of 8 GiB, and a single line of 200 MB.

use std::fs::File;
use std::io::Write as _;

use serde_json::json;

use super::end_fault;
use crate::engine::Engine;
use crate::observed::Ending;
use crate::processes;
use crate::scene::Scene;
use crate::session::Session;
use crate::setup::{Answers, Setup};

const SPARSE: u64 = 8 << 30;
const LINE: usize = 200_000_000;
const MEMORY_MIB: u64 = 100;

/// Reads and searches the files with the tools.
pub(super) fn run(scene: &Scene) -> anyhow::Result<Ending> {
    File::create(scene.workspace.join("sparse.bin"))?.set_len(SPARSE)?;
    let mut line = File::create(scene.workspace.join("line.txt"))?;
    let block = vec![b'x'; 1_000_000];
    for _ in 0..LINE / block.len() {
        line.write_all(&block)?;
    }
    line.write_all(b" needle\n")?;
    let calls = [
        ("read_file", json!({"path": "sparse.bin"})),
        ("read_file", json!({"path": "line.txt"})),
        ("read_file", json!({"path": "line.txt", "offset": 1, "limit": 1})),
        ("grep_file", json!({"path": ".", "pattern": "needle"})),
    ];
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut why = Vec::new();
    for (tool, arguments) in &calls {
        let engine = Engine::new(scene, &Setup::default())?;
        let ran =
            runtime.block_on(Session::for_call(engine, tool, &arguments.to_string(), Answers::No).run())?;
        match ran.results.first() {
            Some(result) if result.wire_text().len() <= 65_536 => {}
            Some(result) => why.push(format!("{tool} {arguments} gives {} bytes", result.wire_text().len())),
            None => why.push(format!("{tool} {arguments} has no result")),
        }
    }
    let peak = processes::peak_memory_mib().unwrap_or(u64::MAX);
    if peak > MEMORY_MIB {
        why.push(format!("it took {peak} MiB of memory, and {MEMORY_MIB} are allowed"));
    }
    Ok(end_fault(format!("{} calls, {peak} MiB at most", calls.len()), why))
}
