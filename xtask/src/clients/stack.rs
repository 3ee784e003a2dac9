//! A mock, and the proxy in front of it once for each wire format.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Map, Value, json};
use windlass_vendors::WireFormat;

use crate::server::Server;

/// The program that plays the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mock {
    /// `windlass mock`.
    Own,
    /// npm `@copilotkit/aimock`, which shares no code and no reading of the formats with this project.
    Aimock,
}

impl Mock {
    pub(super) const ALL: [Self; 2] = [Self::Own, Self::Aimock];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Own => "windlass",
            Self::Aimock => "aimock",
        }
    }
}

/// The running servers. All stop when this value is dropped.
pub(super) struct Stack {
    mock: Mock,
    upstream: Server,
    recorder: Server,
    gateways: Vec<(&'static str, Server)>,
}

impl Stack {
    /// Starts the servers. `scripts` is the folder with the copies of the scripts of node beside their packages.
    pub(super) fn start(mock: Mock, windlass: &Path, scripts: &Path, script: &str) -> Result<Self> {
        let node = |file: &str, argument: &str| {
            Server::spawn(Command::new("node").arg(scripts.join(file)).arg(argument))
        };
        let upstream = match mock {
            Mock::Own => Server::start(windlass, &["mock", "--script", script, "--json"])?,
            Mock::Aimock => node("second_mock.mjs", script)?,
        };
        let recorder = node("recorder.mjs", &upstream.url)?;
        let mut gateways = Vec::new();
        for format in WireFormat::all() {
            gateways.push((format.name(), Server::start_proxy(windlass, &recorder.url, format)?));
        }
        Ok(Self { mock, upstream, recorder, gateways })
    }

    /// Returns the addresses for a suite.
    pub(super) fn to_json(&self) -> Value {
        let gateways: Map<String, Value> =
            self.gateways.iter().map(|(wire, server)| ((*wire).to_owned(), json!(server.url))).collect();
        json!({
            "mock": self.mock.name(),
            "upstream": self.upstream.url,
            "recorder": self.recorder.url,
            "gateways": gateways,
        })
    }
}
