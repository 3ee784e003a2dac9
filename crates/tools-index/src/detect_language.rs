//! `indexer_detect_language`: the language of a file.

use serde::Deserialize;
use windlass_tool::ToolError;

use crate::indexer::Question;
use crate::language::{LOOKED_BYTES, Language};
use crate::place::Place;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetectLanguage {
    path: String,
}

impl Question for DetectLanguage {
    const NAME: &'static str = "indexer_detect_language";
    const DESCRIPTION: &'static str = "Detects the language of a file and the evidence for it: its name, \
                                       its first line, or its content.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"path":{"type":"string","description":"A file, relative to the workspace."}
},"required":["path"],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let source = place.read(&self.path)?;
        let (path, len) = (&source.path, source.bytes.len());
        let beginning = source.bytes.get(..LOOKED_BYTES).unwrap_or(&source.bytes);
        let found = Language::detect(path.relative(), beginning);
        let binary = if beginning.contains(&0) { "; it holds binary data" } else { "" };
        Ok(match found {
            Some((language, evidence)) => {
                let (name, words) = (language.name, evidence.words());
                let symbols = match language.grammar {
                    Some(_) => "its symbols are known to indexer_extract_symbols",
                    None => "its symbols are not known; use grep_file",
                };
                format!("{path}: {name}, {words} ({len} bytes{binary}); {symbols}\n")
            }
            None => {
                format!("{path}: no known language ({len} bytes{binary}); read_file shows what it holds\n")
            }
        })
    }
}
