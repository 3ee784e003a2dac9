//! `cargo xtask bench peers`: compares the parsing path with its peers, one line per value in PERFORMANCE.

mod pulled;
mod table;

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;

const MANIFEST: &str = "benches/peers/Cargo.toml";
const TARGET_FOLDER: &str = "target/peers";

/// A measuring program with the targets that it has rows for. Its peers are a feature of the same name.
struct Program {
    name: &'static str,
    targets: &'static [&'static str],
}

/// Several programs are needed, because code that is compiled together changes what gets inlined where, and
/// because some peers enable features of `serde_json` that would slow down the others.
const PROGRAMS: [Program; 5] = [
    Program { name: "floor", targets: &["T1", "T2", "T3", "T5", "T6", "T7"] },
    Program { name: "parsers", targets: &["T4", "T6", "T7"] },
    Program { name: "streams", targets: &["T8", "T9"] },
    Program { name: "agents", targets: &["T4", "T10"] },
    Program { name: "loops", targets: &["L1", "L2", "L3", "L4", "M5", "M6"] },
];

pub(super) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_json = arguments.flag("--json");
    let only = arguments.word();
    arguments.finish()?;
    let rows = rows(sh, only.as_deref())?;
    if rows.is_empty() {
        bail!(
            "unknown target `{}`; the targets are T1 to T10, L1 to L5, M5 and M6",
            only.unwrap_or_default()
        );
    }
    if is_json {
        println!("{}", serde_json::to_string_pretty(&Value::Array(rows))?);
    } else {
        table::print(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns all rows, or those of one target, in the order of PERFORMANCE.
fn rows(sh: &Shell, only: Option<&str>) -> Result<Vec<Value>> {
    let is_wanted = |target: &str| only.is_none_or(|only| only == target);
    let mut rows = Vec::new();
    for program in &PROGRAMS {
        if program.targets.iter().copied().any(is_wanted) {
            rows.extend(measure(sh, program, only)?);
        }
    }
    if is_wanted("L5") {
        rows.extend(pulled::rows(sh)?);
    }
    rows.sort_by_key(|row| order(row["id"].as_str().unwrap_or_default()));
    Ok(rows)
}

/// Returns the sort key of a target id: T before L before M, and 2 before 10.
fn order(id: &str) -> (Option<usize>, u32) {
    let number = id.trim_start_matches(char::is_alphabetic).parse().unwrap_or(u32::MAX);
    (["T", "L", "M"].iter().position(|letter| id.starts_with(letter)), number)
}

fn measure(sh: &Shell, program: &Program, only: Option<&str>) -> Result<Vec<Value>> {
    let name = program.name;
    let features = (name != "floor").then(|| format!("--features={name}"));
    let build = cmd!(
        sh,
        "cargo build --locked --release --manifest-path {MANIFEST} --target-dir {TARGET_FOLDER} {features...} --bin {name}"
    );
    capture(build)?;
    let program = format!("{TARGET_FOLDER}/release/{name}");
    let printed = capture(cmd!(sh, "{program} {only...}"))?;
    printed.lines().map(|line| serde_json::from_str(line).context("a row is not JSON")).collect()
}

/// Runs a command and returns its stdout. Its stderr stays on the terminal, so that stdout contains only the
/// table.
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
    fn targets_are_in_the_order_of_performance() {
        let mut ids = ["M5", "L5", "T10", "T2", "L1", "T1"];
        ids.sort_by_key(|id| order(id));
        assert_eq!(ids, ["T1", "T2", "T10", "L1", "L5", "M5"]);
    }
}
