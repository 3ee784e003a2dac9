//! The table: each load directly at the upstream and through the gateway, one after the other.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::drive::{Figures, Load};
use crate::processes::{Part, Usage, drive};
use crate::traffic::Traffic;

/// A row of the table. The last field is the time limit in seconds.
const LOADS: [(&str, Traffic, usize, usize); 6] = [
    ("200 paced streams", Traffic::Paced, 200, 600),
    ("1,000 paced streams", Traffic::Paced, 1000, 2000),
    ("streams without pauses, 50 at once", Traffic::Stream, 50, 5000),
    ("whole answers, 50 at once", Traffic::Whole, 50, 10_000),
    ("8 bodies of 17 MB at once", Traffic::LargeBody, 8, 16),
    ("16,000 calls in one message", Traffic::ManyCalls, 1, 3),
];

const LIMIT_SECONDS: u64 = 120;

/// The gateways of the table: the format of the upstream, whose clients speak Chat Completions.
const UPSTREAMS: [&str; 2] = ["openai-chat", "anthropic"];

/// Runs the loads whose name contains the first word, or the soak of `--soak MINUTES`.
pub(crate) fn run(words: &[String]) -> Result<()> {
    match words {
        [flag, minutes] if flag == "--soak" => soak(minutes.parse().context("the minutes of the soak")?),
        [] => table(""),
        [word] => table(word),
        _ => bail!("report takes a word or --soak MINUTES"),
    }
}

fn table(only: &str) -> Result<()> {
    println!(
        "{:<37}{:<14}{:>8}{:>8}{:>17}{:>19}{:>8}{:>9}{:>8}{:>7}",
        "load",
        "path",
        "req/s",
        "ratio",
        "first p50/p95",
        "whole p50/p95",
        "gap95",
        "peak MB",
        "cpu s",
        "wrong"
    );
    let mut wrong = 0_usize;
    for (name, traffic, clients, requests) in LOADS.into_iter().filter(|(name, ..)| name.contains(only)) {
        let load = Load { traffic, clients, requests, seconds: LIMIT_SECONDS };
        let upstream = Part::start(&["upstream"])?;
        let direct = drive(&upstream.url, &load)?;
        print_row(name, "direct", &direct, &direct, None);
        wrong = wrong.saturating_add(direct.wrong);
        for format in UPSTREAMS {
            // A gateway of its own for each load, so that the peak of its memory belongs to the load.
            let gateway = Part::start(&["gateway", &upstream.url, format])?;
            let figures = drive(&gateway.url, &load)?;
            print_row(name, format, &figures, &direct, Some(gateway.usage()?));
            wrong = wrong.saturating_add(figures.wrong);
        }
    }
    if wrong > 0 {
        bail!("{wrong} answers were wrong");
    }
    Ok(())
}

fn print_row(name: &str, path: &str, figures: &Figures, direct: &Figures, usage: Option<Usage>) {
    let pair = |[middle, high]: [f64; 2]| format!("{middle:.1}/{high:.1}");
    let (peak, seconds) = match usage {
        Some(usage) => (format!("{:.1}", usage.peak_megabytes), format!("{:.2}", usage.processor_seconds)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    println!(
        "{name:<37}{path:<14}{:>8.1}{:>8.2}{:>17}{:>19}{:>8.1}{peak:>9}{seconds:>8}{:>7}",
        figures.per_second,
        figures.per_second / direct.per_second,
        pair(figures.first),
        pair(figures.whole),
        figures.gap,
        figures.wrong,
    );
    if figures.wrong > 0 {
        println!("wrong: {}", figures.reason);
    }
}

/// Keeps 200 streams with faults open for some minutes, in rounds of one minute, through a gateway that
/// translates. Compares memory and descriptors after the first round and at the end.
fn soak(minutes: u64) -> Result<()> {
    let upstream = Part::start(&["upstream"])?;
    let gateway = Part::start(&["gateway", &upstream.url, "anthropic"])?;
    let load = Load { traffic: Traffic::Faults, clients: 200, requests: usize::MAX, seconds: 60 };
    let (mut answers, mut wrong) = (0_usize, 0_usize);
    for minute in 1..=minutes {
        let figures = drive(&gateway.url, &load)?;
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
