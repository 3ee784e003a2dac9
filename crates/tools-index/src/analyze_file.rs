//! `indexer_analyze_file`: overview of one file.

use std::fmt::Write;

use serde::Deserialize;
use windlass_tool::ToolError;

use crate::get_metrics::counts;
use crate::indexer::Question;
use crate::outline::{Outline, outline};
use crate::place::Place;
use crate::symbol::Symbol;

const MAX_IMPORTS: usize = 60;
const MAX_SYMBOLS: usize = 300;
const MAX_COMPLEX: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalyzeFile {
    path: String,
}

impl Question for AnalyzeFile {
    const NAME: &'static str = "indexer_analyze_file";
    const DESCRIPTION: &'static str = "Shows one source file at a glance: its language, imports, the tree of what \
        it declares with lines, how many lines of code and comment it has, and its most complex functions. \
        Use it before reading a long file.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"A file, relative to the workspace."}
},"required":["path"],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let source = place.read(&self.path)?;
        if source.bytes.contains(&0) {
            let path = &source.path;
            return Err(ToolError::model(format!("`{path}` holds binary data"))
                .with_advice("indexer_detect_language says what it may be."));
        }
        let found = outline(source.path.relative(), &source.bytes, &|| (place.stopped)());
        let language = found.language.unwrap_or("no known language");
        let gap = found.gap.map(|gap| format!("; {}", gap.words())).unwrap_or_default();
        let mut text = format!("[{}: {language}, {}{gap}]\n", source.path, counts(&found.lines));
        imports(&mut text, &found);
        symbols(&mut text, &found);
        complex(&mut text, &found);
        Ok(text)
    }
}

// Writing into a string cannot fail, so the results of writeln! are dropped below.

fn imports(text: &mut String, found: &Outline) {
    let count = found.imports.len();
    if count > 0 {
        let shown = count.min(MAX_IMPORTS);
        let _ = writeln!(text, "imports ({shown} of {count}):");
    }
    for (line, import) in found.imports.iter().take(MAX_IMPORTS) {
        let _ = writeln!(text, "  {line}: {import}");
    }
}

fn symbols(text: &mut String, found: &Outline) {
    let count = found.symbols.len();
    let shown = count.min(MAX_SYMBOLS);
    let more = if shown < count { "; indexer_extract_symbols shows the rest" } else { "" };
    let _ = writeln!(text, "symbols ({shown} of {count}{more}):");
    // The last lines of the enclosing symbols.
    let mut around: Vec<usize> = Vec::new();
    for symbol in found.symbols.iter().take(MAX_SYMBOLS) {
        around.retain(|last| *last >= symbol.last && *last > symbol.first);
        let indent = "  ".repeat(around.len().min(10).saturating_add(1));
        let Symbol { first, last, kind, signature, .. } = symbol;
        let _ = writeln!(text, "{indent}{first}-{last} {} {}: {signature}", kind.word(), symbol.name);
        around.push(*last);
    }
}

fn complex(text: &mut String, found: &Outline) {
    let mut functions: Vec<&Symbol> = found.symbols.iter().filter(|symbol| symbol.kind.runs()).collect();
    functions.sort_by_key(|symbol| std::cmp::Reverse(symbol.complexity));
    let total = functions.len();
    if total == 0 {
        return;
    }
    let _ = writeln!(text, "functions: {total}, the most complex:");
    for symbol in functions.iter().take(MAX_COMPLEX) {
        let Symbol { first, complexity, nesting, .. } = symbol;
        let _ =
            writeln!(text, "  {first}: {} complexity {complexity}, nesting {nesting}", symbol.full_name());
    }
}
