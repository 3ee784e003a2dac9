//! The table: each load directly at the upstream and through the gateway, one after the other.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::drive::{Figures, Load};
use crate::processes::{Part, Placement, Role, Usage, drive};
use crate::traffic::Traffic;

/// A row of the table: the number of clients and of requests.
const LOADS: [(&str, Traffic, Placement, usize, usize); 8] = [
    ("200 paced streams", Traffic::Paced, Placement::Shared, 200, 600),
    ("1,000 paced streams", Traffic::Paced, Placement::Shared, 1000, 2000),
    ("streams without pauses, 50 at once", Traffic::Stream, Placement::Shared, 50, 5000),
    ("streams without pauses, apart", Traffic::Stream, Placement::Apart, 50, 5000),
    ("whole answers, 50 at once", Traffic::Whole, Placement::Shared, 50, 10_000),
    ("whole answers, apart", Traffic::Whole, Placement::Apart, 50, 10_000),
    ("8 bodies of 17 MB at once", Traffic::LargeBody, Placement::Shared, 8, 16),
    ("16,000 calls in one message", Traffic::ManyCalls, Placement::Shared, 1, 3),
];

const LIMIT_SECONDS: u64 = 120;

/// The gateways of the table: the format of the upstream, whose clients speak Chat Completions.
const UPSTREAMS: [&str; 2] = ["openai-chat", "anthropic"];

/// Runs the loads whose name contains the first word, also through `LiteLLM` with `--litellm PROGRAM`, or the soak of
/// `--soak MINUTES`.
pub(crate) fn run(words: &[String]) -> Result<()> {
    match words {
        [flag, minutes] if flag == "--soak" => soak(minutes.parse().context("the minutes of the soak")?),
        [flag, program] if flag == "--litellm" => table("", Some(Path::new(program))),
        [word, flag, program] if flag == "--litellm" => table(word, Some(Path::new(program))),
        [] => table("", None),
        [word] => table(word, None),
        _ => bail!("report takes a word and --litellm PROGRAM, or --soak MINUTES"),
    }
}

fn table(only: &str, litellm: Option<&Path>) -> Result<()> {
    println!(
        "{:<37}{:<14}{:>8}{:>8}{:>17}{:>19}{:>8}{:>9}{:>8}{:>8}{:>7}",
        "load",
        "path",
        "req/s",
        "ratio",
        "first p50/p95",
        "whole p50/p95",
        "gap95",
        "peak MB",
        "cpu s",
        "others",
        "wrong"
    );
    let mut wrong = 0_usize;
    let loads = LOADS.into_iter().filter(|(name, ..)| name.contains(only));
    for (name, traffic, placement, clients, requests) in loads {
        let load = Load { traffic, clients, requests, seconds: LIMIT_SECONDS };
        let upstream = Part::start(placement, Role::ClientsOrUpstream, &["upstream"])?;
        let direct = drive(placement, &upstream.url, &load)?;
        let mut earlier = upstream.usage()?.processor_seconds;
        print_row(name, "direct", &direct, &direct, None, earlier);
        wrong = wrong.saturating_add(direct.wrong);
        for format in UPSTREAMS {
            // A gateway of its own for each load, so that the peak of its memory belongs to the load.
            let words = ["gateway", &upstream.url, format];
            let gateway = Part::start(placement, Role::Gateway, &words)?;
            let figures = drive(placement, &gateway.url, &load)?;
            let seconds = upstream.usage()?.processor_seconds;
            print_row(name, format, &figures, &direct, Some(gateway.usage()?), seconds - earlier);
            earlier = seconds;
            wrong = wrong.saturating_add(figures.wrong);
        }
        if let Some(program) = litellm {
            let gateway = Part::start_litellm(placement, program, &upstream.url)?;
            let figures = drive(placement, &gateway.url, &load)?;
            let seconds = upstream.usage()?.processor_seconds - earlier;
            // Its wrong answers are shown, and are not a failure of this run.
            print_row(name, "litellm", &figures, &direct, Some(gateway.usage()?), seconds);
        }
    }
    if wrong > 0 {
        bail!("{wrong} answers were wrong");
    }
    Ok(())
}

fn print_row(
    name: &str,
    path: &str,
    figures: &Figures,
    direct: &Figures,
    usage: Option<Usage>,
    upstream_seconds: f64,
) {
    let pair = |[middle, high]: [f64; 2]| format!("{middle:.1}/{high:.1}");
    let (peak, seconds) = match usage {
        Some(usage) => (format!("{:.1}", usage.peak_megabytes), format!("{:.2}", usage.processor_seconds)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    println!(
        "{name:<37}{path:<14}{:>8.1}{:>8.2}{:>17}{:>19}{:>8.1}{peak:>9}{seconds:>8}{:>8.2}{:>7}",
        figures.per_second,
        figures.per_second / direct.per_second,
        pair(figures.first),
        pair(figures.whole),
        figures.gap,
        figures.processor_seconds + upstream_seconds,
        figures.wrong,
    );
    if figures.wrong > 0 {
        println!("wrong: {}", figures.reason);
    }
}

/// Keeps 200 streams with faults open for some minutes, in rounds of one minute, through a gateway that
/// translates. Compares memory and descriptors after the first round and at the end.
fn soak(minutes: u64) -> Result<()> {
    let shared = Placement::Shared;
    let upstream = Part::start(shared, Role::ClientsOrUpstream, &["upstream"])?;
    let gateway = Part::start(shared, Role::Gateway, &["gateway", &upstream.url, "anthropic"])?;
    let load = Load { traffic: Traffic::Faults, clients: 200, requests: usize::MAX, seconds: 60 };
    let (mut answers, mut wrong) = (0_usize, 0_usize);
    for minute in 1..=minutes {
        let figures = drive(shared, &gateway.url, &load)?;
        // The gateway notices the ends of the connections.
        std::thread::sleep(Duration::from_secs(2));
        let usage = gateway.usage()?;
        answers = answers.saturating_add(figures.answers);
        wrong = wrong.saturating_add(figures.wrong);
        println!(
            "minute {minute:>2}: {} answers, {} wrong {} whole p95 {:.0} ms, {:.1} MB, {} descriptors, {:.1} s of processor",
            figures.answers,
            figures.wrong,
            figures.reason,
            figures.whole[1],
            usage.megabytes,
            usage.descriptors,
            usage.processor_seconds,
        );
    }
    println!("{answers} answers, {wrong} wrong");
    if wrong > 0 {
        bail!("{wrong} answers were wrong");
    }
    Ok(())
}
