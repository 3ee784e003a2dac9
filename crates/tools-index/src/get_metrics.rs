//! `indexer_get_metrics`: size and complexity of code.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use windlass_sandbox::WorkspacePath;
use windlass_tool::ToolError;

use crate::indexer::Question;
use crate::language::Language;
use crate::outline::{LineCounts, Outline, outline_in};
use crate::place::{Place, Source};
use crate::symbol::Symbol;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetMetrics {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
}

/// Totals of one language.
#[derive(Default)]
struct Sum {
    files: usize,
    lines: LineCounts,
    functions: usize,
    complexity: u64,
}

impl Question for GetMetrics {
    const NAME: &'static str = "indexer_get_metrics";
    const DESCRIPTION: &'static str = "Measures a file or a folder: lines of code, comment and blank, functions, \
        their cyclomatic complexity and how deep their blocks lie in each other, with totals by language and \
        the most complex functions.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"A file or folder, relative to the workspace. Default: the workspace itself."},
"limit":{"type":"integer","minimum":1,"maximum":200,"description":"Number of functions to show, the most complex first. Default 20."}
},"required":[],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let (path, start) = place.start(self.path.as_deref())?;
        let look = |source: &Source| {
            let (language, _) = Language::detect(source.path.relative(), &source.bytes)?;
            let mut found = outline_in(Some(language), &source.bytes, &|| (place.stopped)());
            found.symbols.retain(|symbol| symbol.kind.runs());
            Some(found)
        };
        let scan = place.scan(&start, &|_| true, &look);
        let left_out = scan.left_out();
        if scan.found.is_empty() {
            return Ok(format!(
                "[no file of a known language in {path}{left_out}; list_files shows the files]"
            ));
        }
        let (sums, all) = sums(&scan.found);
        let files = all.files;
        let mut text = format!("[{path}: {files} files, {}{left_out}]\n", counts(&all.lines));
        for (language, sum) in &sums {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{language}: {}", words(sum));
        }
        complex(&mut text, &scan.found, self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT));
        Ok(text)
    }
}

fn sums(found: &[(WorkspacePath, Outline)]) -> (BTreeMap<&'static str, Sum>, Sum) {
    let mut sums: BTreeMap<&'static str, Sum> = BTreeMap::new();
    let mut all = Sum::default();
    for (_, outline) in found {
        for sum in [sums.entry(outline.language.unwrap_or_default()).or_default(), &mut all] {
            sum.files = sum.files.saturating_add(1);
            sum.lines += outline.lines;
            sum.functions = sum.functions.saturating_add(outline.symbols.len());
            let ways = outline.symbols.iter().map(|symbol| u64::from(symbol.complexity)).sum();
            sum.complexity = sum.complexity.saturating_add(ways);
        }
    }
    (sums, all)
}

fn words(sum: &Sum) -> String {
    let Sum { files, functions, complexity, lines } = sum;
    let mean = complexity.saturating_mul(10).checked_div(*functions as u64);
    let mean = mean
        .map(|tenths| format!(", {functions} functions of mean complexity {}.{}", tenths / 10, tenths % 10));
    format!("{files} files, {}{}", counts(lines), mean.unwrap_or_default())
}

/// Formats line counts.
pub(crate) fn counts(lines: &LineCounts) -> String {
    let LineCounts { total, code, comment, blank, .. } = lines;
    format!("{total} lines ({code} code, {comment} comment, {blank} blank)")
}

fn complex(text: &mut String, found: &[(WorkspacePath, Outline)], limit: usize) {
    let all =
        found.iter().flat_map(|(path, outline)| outline.symbols.iter().map(move |symbol| (path, symbol)));
    let mut functions: Vec<(&WorkspacePath, &Symbol)> = all.collect();
    functions.sort_by_key(|(_, symbol)| std::cmp::Reverse((symbol.complexity, symbol.nesting)));
    let (shown, count) = (functions.len().min(limit), functions.len());
    if count == 0 {
        return;
    }
    // Writing into a string cannot fail.
    let _ = writeln!(text, "the most complex functions ({shown} of {count}):");
    for (path, symbol) in functions.iter().take(limit) {
        let Symbol { first, last, complexity, nesting, .. } = symbol;
        let lines = last.saturating_sub(*first).saturating_add(1);
        let _ = writeln!(
            text,
            "{path}:{first} {} complexity {complexity}, nesting {nesting}, {lines} lines",
            symbol.full_name()
        );
    }
}
