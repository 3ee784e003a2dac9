//! `indexer_search_files`: files by name.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ignore::WalkState;
use serde::Deserialize;
use windlass_sandbox::WorkspacePath;
use windlass_tool::ToolError;

use crate::indexer::Question;
use crate::language::Language;
use crate::place::{Place, Standing};
use crate::wanted::{FileGlob, gaps, language};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 2_000;
const MAX_FOUND: usize = 200_000;
const MAX_QUERY_CHARS: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchFiles {
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
}

impl Question for SearchFiles {
    const NAME: &'static str = "indexer_search_files";
    const DESCRIPTION: &'static str = "Finds files by their names, best fit first: by a part of the path, by its \
        letters in their order, or by a glob. Hidden and git-ignored files are passed over. For what is in \
        files use grep_file.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"query":{"type":"string","description":"A part of the name or path; letters in their order with others between fit too, but worse."},
"glob":{"type":"string","description":"Only files that fit, as `*.rs` or `src/**/*.{ts,tsx}`."},
"path":{"type":"string","description":"A folder, relative to the workspace. Default: the workspace itself."},
"language":{"type":"string","description":"Only files of this language by their names, as rust, python, typescript."},
"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"Maximum number of files. Default 100."}
},"required":[],"additionalProperties":false}"#;

    fn answer(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let query = self.query.as_deref().unwrap_or_default().trim().to_lowercase();
        if query.chars().count() > MAX_QUERY_CHARS {
            return Err(ToolError::model(format!("the query is longer than {MAX_QUERY_CHARS} characters"))
                .with_advice("Give a part of a name."));
        }
        let glob = self.glob.as_deref().map(FileGlob::new).transpose()?;
        let asked = language(self.language.as_deref())?;
        let (path, start) = place.start(self.path.as_deref())?;
        let wanted = |below: &Path| {
            glob.as_ref().is_none_or(|glob| glob.fits(below))
                && asked.is_none_or(|asked| Language::detect_by_name(below) == Some(asked))
        };
        let (found, refused) = (Mutex::new((Vec::new(), false)), AtomicUsize::new(0));
        let rules = place.walk(&start, &wanted, &|below, standing| {
            if standing == Standing::Refused {
                refused.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            }
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            if (place.stopped)() || found.0.len() >= MAX_FOUND {
                found.1 = true;
                return WalkState::Quit;
            }
            let fit =
                WorkspacePath::from_walk(below).ok().and_then(|path| Some((distance(&query, below)?, path)));
            found.0.extend(fit);
            WalkState::Continue
        });
        let (mut files, is_cut) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|left, right| {
            left.0.cmp(&right.0).then_with(|| left.1.relative().cmp(right.1.relative()))
        });
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let (shown, count) = (files.len().min(limit), files.len());
        let mut cut =
            if is_cut { "; not all files were looked at, give a deeper path" } else { "" }.to_owned();
        let refused = refused.into_inner();
        if refused > 0 {
            // Writing into a string cannot fail.
            let _ = write!(cut, "; {refused} files were left out because rules refuse them");
        }
        cut.push_str(&rules.describe());
        if count == 0 {
            return Ok(format!("[no file fits in {path}{cut}; try a shorter query, or list_files]"));
        }
        let more = if shown < count { "; give a longer query, a glob or a path" } else { "" };
        let names: Vec<_> = files.iter().take(limit).map(|(_, path)| path.to_string()).collect();
        let names = names.join("\n");
        Ok(format!("[{shown} of {count} files shown{more}{cut}]\n{names}\n"))
    }
}

/// Returns the distance of a path from the query, 0 for the best match, or `None` if it does not match. Every
/// path matches an empty query.
fn distance(query: &str, below: &Path) -> Option<usize> {
    if query.is_empty() {
        return Some(0);
    }
    let path = below.to_string_lossy().to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let stem = name.split('.').next().unwrap_or(name);
    let words: Vec<&str> = query.split_whitespace().collect();
    Some(match () {
        () if name == query || path == query => 0,
        () if stem == query => 1,
        () if name.starts_with(query) => 2,
        () if name.contains(query) => 3,
        () if path.contains(query) => 4,
        () if words.iter().all(|word| path.contains(word)) => 5,
        () => {
            let letters = words.concat();
            // Letters that are far apart match by chance.
            let most = letters.chars().count().saturating_mul(2);
            let near = |text: &str| gaps(&letters, text).filter(|gaps| *gaps <= most);
            near(name).or_else(|| near(&path).map(|gaps| gaps.saturating_add(20)))?.saturating_add(6)
        }
    })
}
