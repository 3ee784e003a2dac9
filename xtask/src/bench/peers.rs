//! `cargo xtask bench peers`: the parsing path beside its peers, a line for each value that PERFORMANCE names.

mod pulled;
mod table;

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;

const MANIFEST: &str = "benches/peers/Cargo.toml";
const TARGET_FOLDER: &str = "target/peers";

/// A measuring program, whose peers are a feature of its name, and the targets that it has rows for.
struct Program {
    name: &'static str,
    targets: &'static [&'static str],
}

/// Several programs, as what is compiled together changes what is inlined into whom, and as some peers
/// switch on features of `serde_json` which the others would pay for.
const PROGRAMS: [Program; 4] = [
    Program { name: "floor", targets: &["T1", "T2", "T3", "T5", "T6", "T7"] },
    Program { name: "parsers", targets: &["T4", "T6", "T7"] },
    Program { name: "streams", targets: &["T8", "T9"] },
    Program { name: "agents", targets: &["T4", "T10"] },
];

/// Targets of the agent loop, which nothing measures yet.
const LOOP_TARGETS: [(&str, &str); 4] = [
    ("L1", "N-turn loop: allocations and Ir a turn"),
    ("L2", "CPU a turn with 800 turns of history / with 100"),
    ("L3", "1,000 sessions in mid-stream: peak heap of each"),
    ("L4", "journal with fsync / without"),
];

pub(super) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_json = arguments.flag("--json");
    let only = arguments.word();
    arguments.finish()?;
    let rows = rows(sh, only.as_deref())?;
    if rows.is_empty() {
        bail!("there is no target `{}`; there are T1 to T10 and L1 to L5", only.unwrap_or_default());
    }
    if is_json {
        println!("{}", serde_json::to_string_pretty(&Value::Array(rows))?);
    } else {
        table::print(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// All rows, or those of one target, in the order of PERFORMANCE.
fn rows(sh: &Shell, only: Option<&str>) -> Result<Vec<Value>> {
    let is_wanted = |target: &str| only.is_none_or(|only| only == target);
    let mut rows = Vec::new();
    for program in &PROGRAMS {
        if program.targets.iter().copied().any(is_wanted) {
            rows.extend(measure(sh, program, only)?);
        }
    }
    for (id, what) in LOOP_TARGETS.into_iter().filter(|(id, _)| is_wanted(id)) {
        rows.push(json!({ "id": id, "what": what, "note": "not measured: needs the loop benchmark" }));
    }
    if is_wanted("L5") {
        rows.extend(pulled::rows(sh)?);
    }
    rows.sort_by_key(|row| order(row["id"].as_str().unwrap_or_default()));
    Ok(rows)
}

/// T before L, and 2 before 10.
fn order(id: &str) -> (bool, u32) {
    let number = id.trim_start_matches(char::is_alphabetic).parse().unwrap_or(u32::MAX);
    (id.starts_with('L'), number)
}

fn measure(sh: &Shell, program: &Program, only: Option<&str>) -> Result<Vec<Value>> {
    let name = program.name;
    let features = (name != "floor").then(|| format!("--features={name}"));
    let build = cmd!(
        sh,
        "cargo build --release --manifest-path {MANIFEST} --target-dir {TARGET_FOLDER} {features...} --bin {name}"
    );
    capture(build)?;
    let program = format!("{TARGET_FOLDER}/release/{name}");
    let printed = capture(cmd!(sh, "{program} {only...}"))?;
    printed.lines().map(|line| serde_json::from_str(line).context("a row is not JSON")).collect()
}

/// Runs a command, its progress going to stderr, so that stdout has the table and nothing else.
fn capture(cmd: xshell::Cmd<'_>) -> Result<String> {
    let text = cmd.to_string();
    eprintln!("$ {text}");
    let mut command = Command::from(cmd);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("cannot start `{text}`"))?;
    if !output.status.success() {
        bail!("`{text}` failed");
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn targets_stand_in_the_order_of_performance() {
        let mut ids = ["L5", "T10", "T2", "L1", "T1"];
        ids.sort_by_key(|id| order(id));
        assert_eq!(ids, ["T1", "T2", "T10", "L1", "L5"]);
    }
}
