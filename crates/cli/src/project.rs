//! The demo's project: a shop's till with a wrong sum, and a failing check.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use crate::output;

const PRICES: &str = "12\n30\n8\n";

const TOTAL: &str = r#"#!/bin/sh
# Adds up the prices of a file, one a line.
sum=0
while read -r price; do
    sum=$((sum - price))
done < "$1"
echo "$sum"
"#;

const CHECK: &str = r#"#!/bin/sh
# The total of prices.txt has to be 50.
total=$(sh total.sh prices.txt)
if [ "$total" = 50 ]; then
    echo "check passed: the total is $total"
else
    echo "check failed: the total is $total, it has to be 50" >&2
    exit 1
fi
"#;

/// The demo's task.
pub(crate) const TASK: &str = "The check in check.sh fails. Find out why, mend it, and run the check.";

/// The project in a temporary folder, which is deleted on drop.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn create() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("windlass-demo-")
            .tempdir()
            .context("a temporary folder cannot be created")?;
        for (name, text) in [("prices.txt", PRICES), ("total.sh", TOTAL), ("check.sh", CHECK)] {
            fs::write(folder.path().join(name), text).with_context(|| format!("{name} cannot be written"))?;
        }
        Ok(Self { folder })
    }

    /// Deletes the folder. Retries for up to three seconds, because a command that has just ended may still
    /// create files in it.
    pub(crate) async fn remove(self) {
        let folder = self.folder.keep();
        for _ in 0..60 {
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ if !folder.exists() => return,
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        output::note(&format!("the demo's folder {} could not be removed", folder.display()));
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the check outside of the agent, and returns true if it passes.
    pub(crate) fn passes(&self) -> anyhow::Result<bool> {
        let mut check = Command::new("sh");
        check.arg("check.sh").current_dir(self.root());
        check.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = windlass_sandbox::start_child(|| check.status()).context("sh cannot be started")?;
        Ok(status.success())
    }

    /// Returns the changes since the start as a unified diff.
    pub(crate) fn diff(&self) -> anyhow::Result<String> {
        let mut diff = String::new();
        for (name, before) in [("prices.txt", PRICES), ("total.sh", TOTAL), ("check.sh", CHECK)] {
            let path: PathBuf = self.root().join(name);
            let after = fs::read_to_string(&path).with_context(|| format!("{name} cannot be read"))?;
            if after != before {
                let text = similar::TextDiff::from_lines(before, after.as_str())
                    .unified_diff()
                    .header(&format!("a/{name}"), &format!("b/{name}"))
                    .to_string();
                diff.push_str(&text);
            }
        }
        Ok(diff)
    }
}

/// Script of the provider: list and read files, run the check, correct the line, run the check again,
/// complete. JSON text instead of values keeps the order of arguments.
pub(crate) const SCRIPT: &str = r#"{"turns": [
    {
        "steps": [
            {"reasoning": "I do not know the project yet. First I look at what is there.\n"},
            {"text": "I look at the project and at what the check wants."},
            {"call": {"name": "list_files", "arguments": {"path": "."}}},
            {"call": {"name": "read_file", "arguments": {"path": "check.sh"}}},
            {"call": {"name": "read_file", "arguments": {"path": "total.sh"}}}
        ],
        "usage": {"input": 1210, "output": 96}, "piece": 9, "delay_ms": 4
    },
    {
        "steps": [
            {"text": "The total is made with a minus where a plus belongs. I run the check to see it fail."},
            {"call": {"name": "run_command", "arguments": {"command": "sh check.sh"}}}
        ],
        "usage": {"input": 1530, "output": 58}, "piece": 9, "delay_ms": 4
    },
    {
        "steps": [
            {"text": "As expected. I mend the one line."},
            {"call": {"name": "edit_file", "arguments": {
                "path": "total.sh",
                "old_text": "    sum=$((sum - price))",
                "new_text": "    sum=$((sum + price))"
            }}}
        ],
        "usage": {"input": 1640, "output": 74}, "piece": 9, "delay_ms": 4
    },
    {
        "steps": [
            {"text": "Now the check again."},
            {"call": {"name": "run_command", "arguments": {"command": "sh check.sh"}}}
        ],
        "usage": {"input": 1790, "output": 41}, "piece": 9, "delay_ms": 4
    },
    {
        "steps": [
            {"call": {"name": "attempt_completion", "arguments": {
                "result": "The check passes. total.sh subtracted each price; it adds them up now."
            }}}
        ],
        "usage": {"input": 1880, "output": 39}, "piece": 9, "delay_ms": 4
    }
], "fallback": "I have nothing more to say.",
   "denied": "I was told: {result} I take that in, and ask once more."}"#;
