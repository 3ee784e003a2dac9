//! Servers that a command starts, and stops with it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;
use windlass_vendors::WireFormat;

/// A running server, which is killed when this value is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    /// Starts a server and waits until it prints `{"base_url": URL}`.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Result<Self> {
        Self::spawn(Command::new(program).args(arguments))
    }

    /// Starts a proxy before an upstream, whose address has no path, that speaks a wire format.
    pub(crate) fn start_proxy(windlass: &Path, upstream: &str, format: &WireFormat) -> Result<Self> {
        let address = format!("{upstream}{}", format.base_path);
        let wire = format.name();
        let arguments =
            ["proxy", "--base-url", &address, "--wire", wire, "--listen", "127.0.0.1:0", "--json"];
        Self::start(windlass, &arguments)
    }

    /// Like [`Server::start`], with a prepared command.
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let out = child.stdout.take().context("the server has no output")?;
        // The guard stops the server if its line is wrong.
        let mut server = Self { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let parsed: Value = serde_json::from_str(&line)
            .with_context(|| format!("{} printed {line:?}", command.get_program().display()))?;
        parsed["base_url"].as_str().context("the server prints no address")?.clone_into(&mut server.url);
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
