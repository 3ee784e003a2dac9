//! The report of a suite as Markdown.

use std::fmt::{Error, Write};

use crate::{ModelSummary, Summary};

/// Maximum number of failed trials in a report. The file of results has all of them.
const MAX_FAILURES: usize = 50;
/// Maximum number of characters of a reason.
const MAX_REASON: usize = 300;

/// Returns the report.
pub(crate) fn render(summary: &Summary) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, summary);
    text
}

fn write(text: &mut String, summary: &Summary) -> Result<(), Error> {
    writeln!(text, "# {}\n", cell(&summary.suite))?;
    let (cases, models) = (summary.cases.len(), summary.models.len());
    writeln!(
        text,
        "{cases} cases, {models} models, {} repetitions: {} of {} trials ended.",
        summary.repetitions,
        summary.trials.len(),
        summary.trial_count()
    )?;
    if let Some(reason) = summary.stopped {
        writeln!(text, "**Incomplete**: {reason}.")?;
    }
    write_models(text, summary)?;
    write_comparisons(text, summary)?;
    write_flaky(text, summary)?;
    write_failures(text, summary)
}

fn write_models(text: &mut String, summary: &Summary) -> Result<(), Error> {
    text.push_str("\n| model | passed | pass rate (95 % interval) | errors | tokens in + out | cost | judge | p50 | p95 |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for model in summary.models.iter().filter_map(|model| summary.model(model)) {
        let ModelSummary { interval, judge, .. } = model;
        let rate = match model.trials {
            0 => "–".to_owned(),
            trials => {
                let rate = f64::from(model.passed) / f64::from(trials) * 100.0;
                format!("{rate:.1} % ({:.1}–{:.1})", interval.low * 100.0, interval.high * 100.0)
            }
        };
        let judge = match judge.requests {
            0 => "–".to_owned(),
            _ => format!("{} tokens, {}", judge.tokens, money(judge.cost)),
        };
        writeln!(
            text,
            "| {} | {}/{} | {rate} | {} | {} + {} | {} | {judge} | {} | {} |",
            cell(&model.model),
            model.passed,
            model.trials,
            model.errors,
            model.mean_input_tokens,
            model.mean_output_tokens,
            money(model.cost),
            duration(model.p50_ms),
            duration(model.p95_ms),
        )?;
    }
    text.push_str("\nTokens are means of a run, costs are sums. The interval is Wilson's; durations are of live runs.\n");
    Ok(())
}

fn write_comparisons(text: &mut String, summary: &Summary) -> Result<(), Error> {
    let Some((first, others)) = summary.models.split_first() else { return Ok(()) };
    if others.is_empty() {
        return Ok(());
    }
    text.push_str(
        "\n## Comparison\n\n| models | first better | second better | ties | p |\n|---|---|---|---|---|\n",
    );
    for comparison in others.iter().filter_map(|other| summary.compare(first, other)) {
        writeln!(
            text,
            "| {} against {} | {} | {} | {} | {:.3} |",
            cell(&comparison.first),
            cell(&comparison.second),
            comparison.first_better,
            comparison.second_better,
            comparison.ties,
            comparison.p_value
        )?;
    }
    text.push_str("\nPaired by case: the exact two-sided sign test over pass rates (McNemar's test for one repetition).\n");
    Ok(())
}

fn write_flaky(text: &mut String, summary: &Summary) -> Result<(), Error> {
    let flaky = summary.flaky();
    if flaky.is_empty() {
        return Ok(());
    }
    text.push_str("\n## Flaky cases\n\n| case | model | passed |\n|---|---|---|\n");
    for case in flaky {
        writeln!(text, "| {} | {} | {}/{} |", cell(&case.case), cell(&case.model), case.passed, case.trials)?;
    }
    Ok(())
}

fn write_failures(text: &mut String, summary: &Summary) -> Result<(), Error> {
    let failed: Vec<_> = summary.trials.iter().filter(|trial| !trial.is_passed()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    text.push_str("\n## Trials that did not pass\n\n| case | model | repetition | status | reason |\n|---|---|---|---|---|\n");
    for trial in failed.iter().take(MAX_FAILURES) {
        let (case, model, reason) = (cell(&trial.case), cell(&trial.model), cell(&trial.reason()));
        writeln!(text, "| {case} | {model} | {} | {} | {reason} |", trial.repetition, trial.status.as_str())?;
    }
    let more = failed.len().saturating_sub(MAX_FAILURES);
    if more > 0 {
        writeln!(text, "\n{more} more are in the file of results.")?;
    }
    Ok(())
}

/// Returns a text for a cell of a table: one line, without the characters that end a cell or begin HTML.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    let mut letters = text.chars();
    for letter in letters.by_ref().take(MAX_REASON) {
        match letter {
            '|' => cell.push_str("\\|"),
            '<' => cell.push_str("&lt;"),
            letter if letter.is_control() => cell.push(' '),
            letter => cell.push(letter),
        }
    }
    if letters.next().is_some() {
        cell.push('…');
    }
    cell
}

/// Returns millionths of a currency with four digits after the point, rounded up.
fn money(millionths: u64) -> String {
    let parts = millionths.div_ceil(100);
    format!("{}.{:04}", parts / 10_000, parts % 10_000)
}

fn duration(milliseconds: Option<u64>) -> String {
    match milliseconds {
        None => "–".to_owned(),
        Some(time) if time < 1_000 => format!("{time} ms"),
        Some(time) => format!("{}.{} s", time / 1_000, time % 1_000 / 100),
    }
}
