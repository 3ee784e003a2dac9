//! `cargo xtask fresh`: runs the project's two main commands as on a fresh machine.

mod machine;

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use machine::Machine;

pub(crate) const HELP: &str = "\
cargo xtask fresh [--without-shared] [--quick] [--in FOLDER] [--keep]

Runs `cargo run -- demo` and `cargo xtask ci` as on a fresh machine, and prints how long each took.

Clones the last commit into a new folder and gives it an empty home, cargo home, target folder and temporary
folder, so no cached package, installed tool or cache of pip or npm is used. Only the toolchain, the settings
of registries, and ../shared are taken from this machine. `ci` starts with SIGINT ignored, as a
background job of a shell does, and CI=true is set. The folder is removed at the end, unless a command failed.

  --without-shared  leaves ../shared out: the tests must pass and print the skipped cases
  --quick           runs `ci --quick`
  --in FOLDER       makes the machine there, instead of in the system's temporary folder; needs about 30 GB
  --keep            keeps the folder

For example, the first clone of a stranger: `cargo xtask fresh --without-shared`";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let without_shared = arguments.flag("--without-shared");
    let is_quick = arguments.flag("--quick");
    let keep = arguments.flag("--keep");
    let folder = arguments.folder("--in")?;
    arguments.finish()?;
    if !cmd!(sh, "git status --porcelain").quiet().read()?.is_empty() {
        println!("note: uncommitted changes are not part of the clone");
    }
    let machine = Machine::create(sh, folder.as_deref(), !without_shared)?;
    println!("fresh: {}", machine.folder().display());
    let ci: &[&str] = if is_quick { &["xtask", "ci", "--quick"] } else { &["xtask", "ci"] };
    let demo = TimedCommand::run(&machine, &["run", "--", "demo", "--yes"])?;
    let checked = TimedCommand::run(&machine, ci)?;
    println!();
    for timed in [&demo, &checked] {
        println!("fresh: {}", timed.row());
    }
    let success = demo.success && checked.success;
    if success && !keep {
        machine.remove()?;
    } else {
        println!("fresh: the machine is kept at {}", machine.folder().display());
    }
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A finished command of the project, with its duration.
struct TimedCommand {
    words: String,
    success: bool,
    took: Duration,
}

impl TimedCommand {
    /// Runs cargo with SIGINT ignored. Child processes inherit the ignored signal; the project must reset it
    /// before it starts its own child processes.
    fn run(machine: &Machine, words: &[&str]) -> Result<Self> {
        let text = format!("cargo {}", words.join(" "));
        println!("\n$ {text}");
        let began = Instant::now();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' INT; exec cargo \"$@\"", "sh"]).args(words);
        machine.dress(&mut command);
        let status =
            command.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{text}`"))?;
        Ok(Self { words: text, success: status.success(), took: began.elapsed() })
    }

    fn row(&self) -> String {
        let status = if self.success { "ok" } else { "FAILED" };
        format!("{:<34}{status:<8}{:>8.1} s", self.words, self.took.as_secs_f64())
    }
}
