//! `cargo xtask load`: throughput, added latency and memory of the gateway beside direct calls.

use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture;

pub(crate) const HELP: &str = "\
cargo xtask load [--only WORD] [--litellm PROGRAM] [--soak MINUTES]

Measures the gateway under load, each load directly at the scripted provider and through the gateway.

Upstream, gateway and clients are processes of their own, on addresses of this machine. The loads are
200 and 1,000 paced streams, streams without pauses, whole answers, 8 bodies of 17 MB, and 16,000 calls
in one message. Every answer is checked. The build is optimized and takes some minutes.

  --only WORD     runs the loads whose name contains the word
  --litellm PROGRAM  also runs them through LiteLLM, by the path of its program: PyPI litellm[proxy], which
                  `cargo xtask judges` installs
  --soak MINUTES  keeps 200 streams open instead, with cuts, refusals and clients that leave, and prints
                  memory and descriptors after each minute";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let (only, soak) = (arguments.option("--only")?, arguments.number("--soak")?);
    let litellm = arguments.option("--litellm")?;
    arguments.finish()?;
    let mut load = cmd!(sh, "cargo run --locked --quiet --release -p windlass-load -- report");
    load = match soak {
        Some(minutes) => load.args(["--soak".to_owned(), minutes.to_string()]),
        None => load.args(only).args(litellm.iter().flat_map(|program| ["--litellm", program.as_str()])),
    };
    Ok(if capture::pass_through(load)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
