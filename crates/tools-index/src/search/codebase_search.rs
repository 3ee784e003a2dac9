//! The tool `codebase_search`.

use std::fmt::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, read_arguments,
};

use super::folder::Folder;
use super::hits::{Hit, Within, asked, hits};
use super::ranker::{Passage, Ranker};
use super::refresh::{Behind, refresh};
use super::snippet::snippet;
use super::store::{Store, Trouble};
use crate::indexer::{path_of, spec};
use crate::place::Place;
use crate::wanted::language;

const NAME: &str = "codebase_search";
const DESCRIPTION: &str = "Finds the places in the workspace that have most to do with some words, best first: \
    names of symbols and files count more than text. Identifiers are found by their parts too, so `read config` \
    finds readConfig. Use it when the exact name or text is not known; else use grep_file or \
    indexer_search_code.";
const SCHEMA: &str = r#"{"type":"object","properties":{
"query":{"type":"string","description":"Words that the code would use, as `retry after rate limit`."},
"path":{"type":"string","description":"Only below this file or folder, relative to the workspace. Default: the workspace itself."},
"language":{"type":"string","description":"Only files of this language, as rust, python, typescript."},
"limit":{"type":"integer","minimum":1,"maximum":50,"description":"How many places to show. Default 10."}
},"required":["query"],"additionalProperties":false}"#;

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
/// How many passages a ranker is asked about.
const RANKED: usize = 50;

/// Why the tool cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The index would be found by searches, and could be written by the agent.
    #[error("the folder for the index, {}, lies inside the workspace or is relative; give one beside it", .folder.display())]
    InsideWorkspace {
        /// The folder.
        folder: PathBuf,
    },
}

/// The tool `codebase_search`: ranked by BM25 over symbols and text.
///
/// The index lies in a folder below the one that is given, a folder for each workspace, and is brought up to
/// date at each call. Several processes may use one index.
pub struct CodebaseSearch {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
    index: Arc<Index>,
    ranker: Option<Arc<dyn Ranker>>,
}

/// The folder, and the index once it is open.
struct Index {
    folder: Folder,
    store: Mutex<Option<Store>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
}

/// What was found, and what is to be said about it.
struct Answer {
    passages: Vec<Passage>,
    asked: Vec<String>,
    notes: String,
}

impl CodebaseSearch {
    /// The tool on a workspace, with its index below a folder outside of it.
    ///
    /// # Errors
    /// If the folder lies inside the workspace.
    pub fn new(workspace: Arc<Workspace>, folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if folder.is_relative() || Folder::lies_inside(&folder, workspace.root()) {
            return Err(IndexError::InsideWorkspace { folder });
        }
        let folder = Folder::new(&folder, workspace.root());
        let index = Arc::new(Index { folder, store: Mutex::new(None) });
        Ok(Self { workspace, spec: spec(NAME, DESCRIPTION, SCHEMA), index, ranker: None })
    }

    /// The same tool with another order of what BM25 finds.
    pub fn with_ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.ranker = Some(ranker);
        self
    }
}

impl fmt::Debug for CodebaseSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodebaseSearch").field("folder", &self.index.folder).finish_non_exhaustive()
    }
}

impl Tool for CodebaseSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        let mut hints = Hints::read_only();
        hints.open_world = self.ranker.is_some();
        hints
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let mut effects = vec![Effect::Read { path: self.workspace.effect_path(path_of(payload)) }];
        effects.extend(self.ranker.iter().flat_map(|ranker| ranker.effects()));
        effects
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let effect = |path| Effect::Read { path: self.workspace.effect_path(path) };
        complete.text("path").map(effect).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        Inspection::default().with_target(self.workspace.target(path_of(payload), Look::Place))
    }

    /// A dropped call ends after the file at hand, and keeps what it has indexed.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: SearchArguments = read_arguments(payload)?;
            let (query, wanted) = (arguments.query.clone(), arguments.limit);
            let limit = wanted.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
            let most = if self.ranker.is_some() { RANKED.max(limit) } else { limit };
            let (workspace, index) = (Arc::clone(&self.workspace), Arc::clone(&self.index));
            let stop = ctx.cancellation().child_token();
            let _stops_when_dropped = stop.clone().drop_guard();
            let redactor = ctx.redactor().clone();
            let work = move || {
                let stopped = || stop.is_cancelled();
                let place = Place { workspace: &workspace, redactor, stopped: &stopped };
                search(&index, &place, &arguments, most)
            };
            // A panic fails this call and not the turn (RULES L8); the index is opened anew by the next.
            let broken = |_| ToolError::model("the search broke; call it again, or use grep_file");
            let mut answer = tokio::task::spawn_blocking(work).await.map_err(broken)??;
            if let Some(ranker) = &self.ranker {
                rank(&**ranker, &query, &mut answer).await;
            }
            answer.passages.truncate(limit);
            Ok(Output::text(words(&answer)))
        })
    }
}

async fn rank(ranker: &dyn Ranker, query: &str, answer: &mut Answer) {
    match ranker.rank(query, &answer.passages).await {
        Ok(scores) if scores.len() == answer.passages.len() => {
            for (passage, score) in answer.passages.iter_mut().zip(scores) {
                passage.score = score;
            }
            answer.passages.sort_by(|left, right| right.score.total_cmp(&left.score));
        }
        Ok(_) => answer.notes.push_str("; the ranker gave another number of scores, so the order is BM25's"),
        Err(error) => {
            // Writing into a string cannot fail.
            let _ = write!(answer.notes, "; the ranker failed ({error}), so the order is BM25's");
        }
    }
}

fn search(
    index: &Index,
    place: &Place<'_>,
    arguments: &SearchArguments,
    limit: usize,
) -> Result<Answer, ToolError> {
    let asked = asked(&arguments.query);
    if asked.is_empty() {
        return Err(ToolError::model("the query has no word; give some that the code would use"));
    }
    let language = language(arguments.language.as_deref())?;
    let (path, _) = place.start(arguments.path.as_deref())?;
    // A poisoned lock means that a call broke with the index open; it is opened anew.
    let mut store = index.store.lock().unwrap_or_else(|poisoned| {
        index.store.clear_poison();
        let mut store: std::sync::MutexGuard<'_, _> = PoisonError::into_inner(poisoned);
        *store = None;
        store
    });
    let within = Within { path: &path, language, limit };
    let (hits, behind, made) =
        found(index, &mut store, place, &asked, &within).map_err(|trouble| unusable(&trouble))?;
    drop(store);
    let passages = hits.into_iter().filter_map(|hit| {
        let relative = place.workspace.resolve(&hit.file).ok()?;
        let source = place.source(relative.relative())?;
        let text = String::from_utf8_lossy(&source.bytes);
        let text = snippet(&text, (hit.first, hit.last), &asked);
        let lines = (hit.first, hit.last);
        Some(Passage { path: hit.file, lines, symbol: hit.symbol, text, score: hit.score })
    });
    let passages = passages.collect();
    Ok(Answer { passages, notes: notes(behind, made), asked })
}

type Found = (Vec<Hit>, Behind, Option<&'static str>);

/// Asks the index; one that breaks on it is made anew, once.
fn found(
    index: &Index,
    store: &mut Option<Store>,
    place: &Place<'_>,
    asked: &[String],
    within: &Within<'_>,
) -> Result<Found, Trouble> {
    let attempt = |store: &mut Option<Store>| -> Result<Found, Trouble> {
        let open = match store {
            Some(open) => open,
            None => store.insert(Store::open(&index.folder, place.stopped)?),
        };
        let behind = refresh(open, &index.folder, place)?;
        Ok((hits(open, asked, within)?, behind, open.made.take()))
    };
    match attempt(store) {
        Err(Trouble::Broken(_)) => {
            let reason = Some("the index was broken and is made anew");
            *store = None;
            *store = Some(Store::remake(&index.folder, reason, place.stopped)?);
            attempt(store)
        }
        result => result,
    }
}

fn unusable(trouble: &Trouble) -> ToolError {
    ToolError::model(match trouble {
        Trouble::Busy => {
            "another process is making the index; call again in a few seconds, or use grep_file".to_owned()
        }
        Trouble::Broken(error) => format!("the index cannot be used ({error}); use grep_file"),
        Trouble::Folder(error) => format!("the folder of the index cannot be used ({error}); use grep_file"),
    })
}

fn notes(behind: Behind, made: Option<&'static str>) -> String {
    let Behind { secrets, left, is_busy, is_full } = behind;
    let mut notes = made.map(|made| format!("; {made}")).unwrap_or_default();
    // Writing into a string cannot fail.
    if left > 0 {
        let _ = write!(notes, "; {left} files are not up to date in the index, call again for these");
    }
    if is_busy {
        notes.push_str("; another process is writing the index");
    }
    if is_full {
        notes.push_str("; there are more files than the index holds");
    }
    if secrets > 0 {
        let _ = write!(notes, "; {secrets} files with names of secrets are not in the index");
    }
    notes
}

fn words(answer: &Answer) -> String {
    let Answer { passages, asked, notes } = answer;
    let words = asked.join(" ");
    if passages.is_empty() {
        return format!("[nothing found for {words}{notes}; try other words, or grep_file for exact text]");
    }
    let mut text = format!("[{} places for {words}, best first{notes}]\n", passages.len());
    for Passage { path, lines: (first, last), symbol, text: snippet, score } in passages {
        let symbol = symbol.as_deref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{path}:{first}-{last}{symbol} ({score:.1})\n{snippet}");
    }
    text
}
