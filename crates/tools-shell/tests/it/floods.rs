//! Outputs that are far too long: bounded memory, head and tail, and every page of the rest.

use std::fs;
use std::time::Instant;

use serde_json::json;
use windlass_testkit::{Need, require};

use crate::scene::{Run, Scene, namespaces};

/// Length of the flood; the promised one is `WINDLASS_MEGABYTES=200`.
fn megabytes() -> u64 {
    std::env::var("WINDLASS_MEGABYTES").ok().and_then(|number| number.parse().ok()).unwrap_or(20)
}

/// Memory of this process in KiB, by its name in the kernel's table.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}

// R9, issue 6 "Must be shown" 4
#[test]
fn a_flood_uses_bounded_memory_and_every_page_can_be_read() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    let run = Run::new(&scene);
    // Lines of 100 bytes, numbered.
    let lines = megabytes() * 10_000;
    let bytes = lines * 100;
    run.text("run_command", &json!({"command": "true"}));
    // From here on the peak is that of the flood and of concurrent tests.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS");
    let began = Instant::now();
    let flood = format!(
        "awk 'BEGIN {{ for (i = 1; i <= {lines}; i++) printf \"%09d %s\\n\", i, \"{}\" }}'",
        "x".repeat(89)
    );
    let text = run.text("run_command", &json!({"command": flood, "timeout_ms": 600_000}));
    let printed = began.elapsed();
    assert!(text.len() < 31_000, "{}", text.len());
    assert!(text.starts_with("[exit code 0;"), "{}", &text[..300]);
    assert!(text.contains(&format!(
        "[stdout has {bytes} bytes in {lines} lines; head and tail are shown; all of it: "
    )));
    assert!(
        text.contains("]\n000000001 xxx") && text.ends_with(&format!("\n{lines:09} {}\n", "x".repeat(89)))
    );
    let read = |arguments: serde_json::Value| run.text("read_command_output", &arguments);
    let name = "call_1-stdout-1.txt";
    let began = Instant::now();
    let middle = lines / 2;
    let found = read(json!({"name": name, "search": format!("^{middle:09} ")}));
    let searched = began.elapsed();
    assert!(found.starts_with(&format!("[1 of {lines} lines match")), "{}", &found[..200]);
    let at = (middle - 1) * 100;
    assert!(found.contains(&format!("]\n{at}: {middle:09} xxx")), "{}", &found[..300]);
    let began = Instant::now();
    let page = read(json!({"name": name, "offset": at, "limit": 200}));
    assert!(page.starts_with(&format!("[bytes {at} to {} of {bytes}; read on with", at + 200)), "{page}");
    assert!(page.contains(&format!("\n{middle:09} ")) && page.contains(&format!("\n{:09} ", middle + 1)));
    let tail = read(json!({"name": name, "tail": 2}));
    assert!(
        tail.contains(&format!("]\n{:09} ", lines - 1)) && tail.contains(&format!("\n{lines:09} ")),
        "{tail}"
    );
    let paged = began.elapsed();
    let grown = memory("VmHWM").saturating_sub(before);
    eprintln!(
        "{} MB: printed in {printed:?}, searched in {searched:?}, two pages in {paged:?}, peak grew by {grown} KiB",
        megabytes()
    );
    assert!(grown < 100 * 1024, "{grown} KiB");
}
