//! `cargo xtask simulate`: computes the load model in closed form and by a simulation, and compares the two.

mod events;
mod inputs;
mod load;
mod random;
mod table;

#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use xshell::Shell;

use self::events::Scale;
use self::inputs::Inputs;
use self::load::{Bill, Load};
use crate::arguments::Arguments;

pub(crate) const HELP: &str = "\
cargo xtask simulate [--store NAME] [--workers N] [--runs N] [--hours N] [--seed N] [--set NAME=VALUE]

Computes the load of many runs that work and wait, in closed form and by a simulation beside it.

The inputs are in xtask/simulate/inputs.toml; those that are not measured are listed. The command fails if
a rate of the simulation differs from the closed form by more than 5 %.

  --store NAME      the store of the records: postgres (the default), sqlite or folder
  --workers N       instead of enough workers for the target utilization
  --runs N          simulated runs (10,000), scaled up to the number of the inputs
  --hours N         simulated hours (4)
  --seed N          the seed of the random numbers (1)
  --set NAME=VALUE  replaces an input; can be repeated

For example, with too few workers: `cargo xtask simulate --workers 150`";

const INPUTS: &str = "xtask/simulate/inputs.toml";
const STORES: [&str; 3] = ["postgres", "sqlite", "folder"];
/// The largest relative difference between the simulation and the closed form. With 10,000 runs and 4 hours, the
/// random error of a rate is about 1 %.
const TOLERANCE: f64 = 0.05;

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let store = arguments.option("--store")?.unwrap_or_else(|| "postgres".to_owned());
    ensure!(STORES.contains(&store.as_str()), "`--store` is one of {}", STORES.join(", "));
    let workers = read_count(&mut arguments, "--workers")?;
    let runs = read_count(&mut arguments, "--runs")?.unwrap_or(10_000);
    let hours = read_count(&mut arguments, "--hours")?.unwrap_or(4);
    let seed = arguments.number("--seed")?.unwrap_or(1);
    let mut inputs = Inputs::parse(&sh.read_file(INPUTS)?).with_context(|| INPUTS.to_owned())?;
    while let Some(change) = arguments.option("--set")? {
        let (name, value) = change.split_once('=').context("`--set` needs NAME=VALUE")?;
        let value = value.parse().with_context(|| format!("`{value}` is not a number"))?;
        inputs.set(name, value)?;
    }
    arguments.finish()?;
    let load = Load::new(&inputs, &store, workers.map(f64::from))?;
    let scale = Scale {
        runs,
        seed,
        warm_up: Duration::from_mins(30),
        observed: Duration::from_secs(u64::from(hours).saturating_mul(3_600)),
    };
    let (predicted, observed) = (load.predict(), events::simulate(&load, &scale));
    let bill = Bill::new(&inputs, &load, &predicted)?;
    println!("{} runs over {store}, {} simulated runs, {hours} hours, seed {seed}\n", load.runs, runs);
    table::print(&load, &predicted, &observed, &bill);
    println!("\nInputs that are not measured:");
    for line in inputs.describe_assumptions() {
        println!("  {line}");
    }
    let worst = table::find_largest_difference(&predicted, &observed.rates);
    if worst > TOLERANCE {
        println!("\nfailed: a rate differs by {:.1} %, more than {:.0} %", worst * 100.0, TOLERANCE * 100.0);
        return Ok(ExitCode::FAILURE);
    }
    println!(
        "\nThe rates differ by at most {:.1} %; {:.0} % are permitted.",
        worst * 100.0,
        TOLERANCE * 100.0
    );
    Ok(ExitCode::SUCCESS)
}

/// Consumes an option with a positive number.
fn read_count(arguments: &mut Arguments, name: &str) -> Result<Option<u32>> {
    let Some(number) = arguments.number(name)? else { return Ok(None) };
    let count = u32::try_from(number).with_context(|| format!("`{name}` is too large"))?;
    ensure!(count > 0, "`{name}` needs a positive number");
    Ok(Some(count))
}
