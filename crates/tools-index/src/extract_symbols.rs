//! `indexer_extract_symbols`: declarations in a file or in the files of a folder.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use windlass_tool::ToolError;

use crate::indexer::Question;
use crate::outline::outline;
use crate::place::{Place, Source};
use crate::search_code::line;
use crate::symbol::{Kind, Symbol};
use crate::wanted::may_have_symbols;

const DEFAULT_LIMIT: usize = 200;
const MAX_LIMIT: usize = 2_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractSymbols {
    path: String,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    docs: Option<bool>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    offset: Option<usize>,
}

impl Question for ExtractSymbols {
    const NAME: &'static str = "indexer_extract_symbols";
    const DESCRIPTION: &'static str = "Lists what a file, or each file of a folder, declares: functions, methods, \
        types, constants, with their lines, how they are declared and what is written about them.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"A file or folder, relative to the workspace."},
"kind":{"type":"string","enum":["function","method","class","struct","enum","union","trait","interface","impl","type","constant","variable","field","macro","module"],"description":"Only symbols of this kind."},
"docs":{"type":"boolean","description":"True to show the documentation of each symbol. Default true."},
"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"Maximum number of symbols. Default 200."},
"offset":{"type":"integer","minimum":0,"description":"Number of symbols to skip. Default 0."}
},"required":["path"],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let (path, start) = place.start(Some(&self.path))?;
        let look = |source: &Source| {
            let mut found = outline(source.path.relative(), &source.bytes, &|| (place.stopped)());
            found.symbols.retain(|symbol| self.kind.is_none_or(|kind| kind == symbol.kind));
            Some(found)
        };
        // A file that the call names is parsed whatever its extension.
        let named = start.strip_prefix(place.workspace.root()).unwrap_or(&start);
        let wanted = |below: &Path| below == named || may_have_symbols(below, None);
        let scan = place.scan(&start, &wanted, &look);
        let (looked, left_out) = (scan.looked, scan.left_out());
        let count: usize = scan.found.iter().map(|(_, outline)| outline.symbols.len()).sum();
        let gap = match scan.found.as_slice() {
            [(_, only)] => only.gap.map(|gap| format!("; {}", gap.words())).unwrap_or_default(),
            _ => String::new(),
        };
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let skip = self.offset.unwrap_or(0);
        if count == 0 {
            return Ok(format!(
                "[no symbols in {path}, {looked} files with code looked at{gap}{left_out}; use read_file or grep_file]"
            ));
        }
        let mut text = String::new();
        let mut shown: usize = 0;
        let all = scan.found.iter().flat_map(|(path, outline)| {
            let name = path.to_string();
            outline.symbols.iter().map(move |symbol| (name.clone(), symbol))
        });
        for (name, symbol) in all.skip(skip).take(limit) {
            text.push_str(&self.entry(&name, symbol));
            shown = shown.saturating_add(1);
        }
        let next = skip.saturating_add(shown);
        let more = if next < count { format!("; continue with offset {next}") } else { String::new() };
        Ok(format!("[{shown} of {count} symbols shown, from {looked} files{more}{gap}{left_out}]\n{text}"))
    }
}

impl ExtractSymbols {
    fn entry(&self, path: &str, symbol: &Symbol) -> String {
        let mut text = line(path, symbol);
        if let Some(doc) = symbol.doc.as_ref().filter(|_| self.docs.unwrap_or(true)) {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "    {doc}");
        }
        text
    }
}
