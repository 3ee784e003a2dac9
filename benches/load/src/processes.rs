//! The parts of the load as processes, with their memory, descriptors and processor time.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::drive::{Figures, Load};

/// Processor time in `/proc` counts in hundredths of a second on Linux.
const TICKS: f64 = 100.0;

/// A started part, which is killed when this value is dropped.
pub(crate) struct Part {
    child: Child,
    pub(crate) url: String,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) megabytes: f64,
    pub(crate) peak_megabytes: f64,
    pub(crate) descriptors: usize,
    pub(crate) processor_seconds: f64,
}

fn own(words: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped());
    Ok(command)
}

impl Part {
    /// Starts a server of this program.
    pub(crate) fn start(words: &[&str]) -> Result<Self> {
        let mut child = own(words)?.spawn()?;
        let out = child.stdout.take().context("the part has no output")?;
        let mut part = Self { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let parsed: Value = serde_json::from_str(&line).with_context(|| format!("{words:?}: {line:?}"))?;
        parsed["base_url"].as_str().context("the part prints no address")?.clone_into(&mut part.url);
        Ok(part)
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        let process = format!("/proc/{}", self.child.id());
        let status = std::fs::read_to_string(format!("{process}/status"))?;
        let megabytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            let kilobytes: u32 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
            f64::from(kilobytes) / 1024.0
        };
        let stat = std::fs::read_to_string(format!("{process}/stat"))?;
        // The name of the program is in parentheses and can contain spaces.
        let fields = stat.rsplit_once(") ").map(|(_, fields)| fields).unwrap_or_default();
        let ticks = |at| fields.split(' ').nth(at).and_then(|field| field.parse::<u32>().ok());
        let (user, system) = (ticks(11).unwrap_or_default(), ticks(12).unwrap_or_default());
        Ok(Usage {
            megabytes: megabytes("VmRSS:"),
            peak_megabytes: megabytes("VmHWM:"),
            descriptors: std::fs::read_dir(format!("{process}/fd"))?.count(),
            processor_seconds: (f64::from(user) + f64::from(system)) / TICKS,
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs the clients in a process of their own.
pub(crate) fn drive(url: &str, load: &Load) -> Result<Figures> {
    let output = own(&["drive", url, &serde_json::to_string(load)?])?.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("the clients failed: {}", output.status);
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
