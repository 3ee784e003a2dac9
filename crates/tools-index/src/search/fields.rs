//! Schema of the index: documents for files and for chunks of files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, TantivyDocument};
use windlass_sandbox::WorkspacePath;

use super::chunk::{Chunk, chunks};
use super::rough::rough;
use super::tokens::CodeTokenizer;
use crate::language::Language;
use crate::outline::{Gap, Outline, outline_in};
use crate::place::Source;

/// Maximum size of a file that is parsed with its grammar, in bytes. Longer files are outlined by the first
/// words of their lines.
const MAX_PARSED_BYTES: usize = 64 * 1024;
const TOKENIZER: &str = "windlass-code";
/// Marker of the document with a file's stamp.
pub(super) const IS_FILE: &str = "file";

/// Metadata that changes when a file changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) modified: u64,
    pub(super) len: u64,
    /// ctime in nanoseconds, which programs cannot set; zero where the system has none.
    pub(super) changed: u64,
    pub(super) inode: u64,
}

/// Fields of the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) file: Field,
    pub(super) inside: Field,
    pub(super) marker: Field,
    pub(super) language: Field,
    pub(super) title: Field,
    pub(super) names: Field,
    pub(super) body: Field,
    pub(super) shown: Field,
    pub(super) first: Field,
    pub(super) last: Field,
    pub(super) modified: Field,
    pub(super) len: Field,
    pub(super) changed: Field,
    pub(super) inode: Field,
}

impl Fields {
    pub(super) fn new() -> (Schema, Self) {
        let mut schema = SchemaBuilder::new();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            file: schema.add_text_field("file", STRING | STORED),
            inside: schema.add_text_field("inside", STRING),
            marker: schema.add_text_field("marker", STRING),
            language: schema.add_text_field("language", STRING),
            title: schema.add_text_field("title", text.clone()),
            names: schema.add_text_field("names", text.clone()),
            body: schema.add_text_field("body", text),
            shown: schema.add_text_field("shown", STORED),
            first: schema.add_u64_field("first", STORED),
            last: schema.add_u64_field("last", STORED),
            modified: schema.add_u64_field("modified", STORED),
            len: schema.add_u64_field("len", STORED),
            changed: schema.add_u64_field("changed", STORED),
            inode: schema.add_u64_field("inode", STORED),
        };
        (schema.build(), fields)
    }

    /// Registers the tokenizer, which every opened index needs.
    pub(super) fn register(index: &Index) {
        index.tokenizers().register(TOKENIZER, TextAnalyzer::from(CodeTokenizer::default()));
    }

    /// Returns the document that records that this version of the file is indexed.
    pub(super) fn stamp(&self, file: &str, stamp: Stamp) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.file, file);
        document.add_text(self.marker, IS_FILE);
        document.add_u64(self.modified, stamp.modified);
        document.add_u64(self.len, stamp.len);
        document.add_u64(self.changed, stamp.changed);
        document.add_u64(self.inode, stamp.inode);
        document
    }

    /// Returns the chunks of a file, or `None` if the call was cancelled. If parsing panics or takes too
    /// long, the file is outlined by the first words of its lines.
    pub(super) fn pieces(&self, source: &Source, stopped: &dyn Fn() -> bool) -> Option<Vec<TantivyDocument>> {
        let path = source.path.relative();
        let language = Language::detect(path, &source.bytes).map(|(language, _)| language);
        let text = String::from_utf8_lossy(&source.bytes);
        let parse = || outline_in(language, &source.bytes, stopped);
        let outline = outline_or_rough(language, &text, stopped, parse)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (file, around) = (source.path.to_string(), path_and_ancestors(path));
        let document = |chunk: Chunk<'_>| {
            let body = lines.get(chunk.first.saturating_sub(1)..chunk.last).unwrap_or_default().concat();
            let mut document = TantivyDocument::new();
            document.add_text(self.file, &file);
            document.add_text(self.names, &file);
            document.add_text(self.body, &body);
            document.add_u64(self.first, chunk.first as u64);
            document.add_u64(self.last, chunk.last as u64);
            for folder in &around {
                document.add_text(self.inside, folder);
            }
            if let Some(language) = language {
                document.add_text(self.language, language.name);
            }
            if let Some(symbol) = chunk.symbol {
                let name = symbol.full_name();
                document.add_text(self.title, &name);
                let more = match chunk.also.len() {
                    0 => String::new(),
                    count => format!(" and {count} more"),
                };
                document.add_text(self.shown, format!("{} {name}{more}", symbol.kind.word()));
                for symbol in &chunk.also {
                    document.add_text(self.title, symbol.full_name());
                }
            }
            document
        };
        Some(chunks(&outline, lines.len()).into_iter().map(document).collect())
    }
}

/// Returns the parsed outline, or the rough outline if the file is long, or parsing panics or takes too long.
/// Returns `None` if the call was cancelled.
fn outline_or_rough(
    language: Option<&'static Language>,
    text: &str,
    stopped: &dyn Fn() -> bool,
    parse: impl FnOnce() -> Outline,
) -> Option<Outline> {
    let rough = || language.map(|language| rough(language, text)).unwrap_or_default();
    if language.is_some() && text.len() > MAX_PARSED_BYTES {
        return Some(rough());
    }
    // A panic on one file must not prevent searches of the others. The parser shares no state that a panic
    // could corrupt.
    let parsed = catch_unwind(AssertUnwindSafe(parse)).ok();
    if stopped() {
        return None;
    }
    Some(parsed.filter(|outline| outline.gap != Some(Gap::Stopped)).unwrap_or_else(rough))
}

/// Returns the path and all of its ancestors, in the form of the path filter.
fn path_and_ancestors(path: &Path) -> Vec<String> {
    let all = path.ancestors().filter(|path| !path.as_os_str().is_empty());
    all.filter_map(|path| WorkspacePath::from_walk(path).ok()).map(|path| path.to_string()).collect()
}

#[cfg(test)]
mod tests;
