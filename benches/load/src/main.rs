//! Load on a gateway: an upstream, a gateway and clients, each in a process of its own, on this machine only.
//!
//! `windlass-load report` starts the others and prints a table; `upstream`, `gateway` and `drive` are its parts.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a developer's tool: it prints, measures time and starts its own parts"
)]

mod drive;
mod processes;
mod report;
mod servers;
mod traffic;

use anyhow::{Context, Result, bail};

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| words.get(at).map(String::as_str).with_context(|| format!("word {at} is missing"));
    match word(0)? {
        "upstream" => servers::run_upstream().await,
        "gateway" => servers::run_gateway(word(1)?, word(2)?).await,
        "drive" => {
            let load: drive::Load = serde_json::from_str(word(2)?).context("the load is not JSON")?;
            let figures = drive::run(word(1)?, &load).await?;
            println!("{}", serde_json::to_string(&figures)?);
            Ok(())
        }
        "report" => report::run(words.get(1..).unwrap_or_default()),
        other => bail!("{other:?} is not upstream, gateway, drive or report"),
    }
}
