//! The parts of the load as processes, with their memory, descriptors and processor time.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::drive::{Figures, Load};

/// Processor time in `/proc` counts in hundredths of a second on Linux.
const TICKS: f64 = 100.0;

/// Time for `LiteLLM` to start.
const START: Duration = Duration::from_mins(3);

/// A started part, which is killed when this value is dropped.
pub(crate) struct Part {
    child: Child,
    pub(crate) url: String,
    /// A file that is removed with the part.
    file: Option<PathBuf>,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) megabytes: f64,
    pub(crate) peak_megabytes: f64,
    pub(crate) descriptors: usize,
    pub(crate) processor_seconds: f64,
}

/// The processors of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// All parts share all processors.
    Shared,
    /// Clients and upstream share the first processor, with and without a gateway, which has the second one.
    Apart,
}

/// A part of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    ClientsOrUpstream,
    Gateway,
}

impl Placement {
    fn command(self, role: Role, program: &Path, words: &[&str]) -> Command {
        let mut command = match (self, role) {
            (Self::Shared, _) => Command::new(program),
            (Self::Apart, role) => {
                let processor = if role == Role::Gateway { "1" } else { "0" };
                let mut command = Command::new("taskset");
                command.args(["-c", processor]).arg(program);
                command
            }
        };
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }
}

impl Part {
    /// Starts a server of this program.
    pub(crate) fn start(placement: Placement, role: Role, words: &[&str]) -> Result<Self> {
        let program = std::env::current_exe()?;
        let mut child =
            placement.command(role, &program, words).spawn().context("a part cannot be started")?;
        let out = child.stdout.take().context("the part has no output")?;
        let mut part = Self { child, url: String::new(), file: None };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let parsed: Value = serde_json::from_str(&line).with_context(|| format!("{words:?}: {line:?}"))?;
        parsed["base_url"].as_str().context("the part prints no address")?.clone_into(&mut part.url);
        Ok(part)
    }

    /// Starts the proxy `LiteLLM` (package `litellm[proxy]` of `PyPI`) in front of a server of Chat Completions, and
    /// waits until it accepts connections.
    pub(crate) fn start_litellm(placement: Placement, program: &Path, upstream: &str) -> Result<Self> {
        let parameters =
            json!({"model": "openai/scripted-1", "api_base": format!("{upstream}/v1"), "api_key": "none"});
        let settings = json!({
            "model_list": [{"model_name": "scripted-1", "litellm_params": parameters}],
            "litellm_settings": {"num_retries": 0, "telemetry": false},
        });
        let file = std::env::temp_dir().join(format!("windlass-load-{}.json", std::process::id()));
        // JSON is YAML.
        std::fs::write(&file, settings.to_string())?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (config, number) = (file.to_string_lossy(), port.to_string());
        let words = ["--config", config.as_ref(), "--host", "127.0.0.1", "--port", &number];
        let mut command = placement.command(Role::Gateway, program, &words);
        // Without a key for its clients it starts only with this permission.
        command.env("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().context("LiteLLM cannot be started")?;
        let mut litellm = Self { child, url: format!("http://127.0.0.1:{port}"), file: Some(file) };
        let until = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > until || litellm.child.try_wait()?.is_some() {
                bail!("LiteLLM accepts no connection");
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(litellm)
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        Usage::read(&self.child.id().to_string())
    }
}

impl Usage {
    /// Reads the state of a process; that of the caller for `self`.
    pub(crate) fn read(process: &str) -> Result<Self> {
        let process = format!("/proc/{process}");
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
        Ok(Self {
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
        if let Some(file) = &self.file {
            drop(std::fs::remove_file(file));
        }
    }
}

/// Runs the clients in a process of their own.
pub(crate) fn drive(placement: Placement, url: &str, load: &Load) -> Result<Figures> {
    let words = ["drive", url, &serde_json::to_string(load)?];
    let program = std::env::current_exe()?;
    let mut command = placement.command(Role::ClientsOrUpstream, &program, &words);
    let output = command.stderr(Stdio::inherit()).output().context("the clients cannot be started")?;
    if !output.status.success() {
        bail!("the clients failed: {}", output.status);
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
