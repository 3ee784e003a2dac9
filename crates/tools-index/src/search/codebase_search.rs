//! The tool `codebase_search`.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Progress, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use super::answer::{Answer, notes, order, words};
use super::embedder::{Embedder, EmbeddingLimits};
use super::embedding_ranker::EmbeddingRanker;
use super::folder::Folder;
use super::hits::{Hit, QueryFilters, hits, query_words};
use super::ranker::{Passage, Ranker};
use super::refresh::{StaleFiles, refresh};
use super::snippet::{body, snippet};
use super::store::{Store, Trouble};
use crate::indexer::{path_of, spec};
use crate::place::Place;
use crate::wanted::language;

const NAME: &str = "codebase_search";
const DESCRIPTION: &str = "Finds the places in the workspace that best match some words, best first: \
    names of symbols and files count more than text. Identifiers are found by their parts too, so `read config` \
    finds readConfig. Use it when the exact name or text is not known; else use grep_file or \
    indexer_search_code.";
const SCHEMA: &str = r#"{"type":"object","properties":{
"query":{"type":"string","description":"Words that the code would use, as `retry after rate limit`."},
"path":{"type":"string","description":"Only below this file or folder, relative to the workspace. Default: the workspace itself."},
"language":{"type":"string","description":"Only files of this language, as rust, python, typescript."},
"limit":{"type":"integer","minimum":1,"maximum":50,"description":"Maximum number of places. Default 10."}
},"required":["query"],"additionalProperties":false}"#;

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
/// Number of passages that a ranker receives.
const RANKED: usize = 50;
/// Time after which a search reports that it still reads files: a query of a current index is faster.
const SLOW: Duration = Duration::from_secs(2);
/// Maximum size of a passage for a ranker, in bytes: a single line may be a whole file.
const MAX_BODY_BYTES: usize = 16 * 1024;

/// Error of [`CodebaseSearch::new`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder is inside the workspace, where searches would find the index and the agent could change it,
    /// or is relative.
    #[error("the folder for the index, {}, is inside the workspace or relative; use an absolute path outside of it", .folder.display())]
    InsideWorkspace {
        /// Path of the folder.
        folder: PathBuf,
    },
}

/// The tool `codebase_search`: ranks symbols and text by BM25.
///
/// The index is in a subfolder of the given folder, one for each workspace, and is updated in each call.
/// Several processes can share an index.
pub struct CodebaseSearch {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
    index: Arc<Index>,
    ranker: Option<Arc<dyn Ranker>>,
}

/// The index folder, and the index if it is open.
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

impl CodebaseSearch {
    /// Creates the tool for a workspace, with its index below a folder outside of the workspace.
    ///
    /// # Errors
    /// If the folder is inside the workspace or is relative.
    pub fn new(workspace: Arc<Workspace>, folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if folder.is_relative() || Folder::lies_inside(&folder, workspace.root()) {
            return Err(IndexError::InsideWorkspace { folder });
        }
        let folder = Folder::new(&folder, workspace.root());
        let index = Arc::new(Index { folder, store: Mutex::new(None) });
        Ok(Self { workspace, spec: spec(NAME, DESCRIPTION, SCHEMA), index, ranker: None })
    }

    /// Sets a ranker that reorders the results of BM25.
    pub fn with_ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.ranker = Some(ranker);
        self
    }

    /// Sets a ranker that fuses BM25's order with the order by embeddings. The embedder receives passages
    /// without the secrets of the call's context; its vectors are cached beside the index.
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>, limits: EmbeddingLimits) -> Self {
        let ranker = EmbeddingRanker::new(embedder, limits, self.index.folder.vectors());
        self.with_ranker(Arc::new(ranker))
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

    /// Dropping the future stops the work after the current file and keeps the files that are already
    /// indexed.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: SearchArguments = read_arguments(payload)?;
            let (query, wanted) = (ctx.redactor().redact(&arguments.query).into_owned(), arguments.limit);
            let limit = wanted.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
            let most = if self.ranker.is_some() { RANKED.max(limit) } else { limit };
            let (workspace, index) = (Arc::clone(&self.workspace), Arc::clone(&self.index));
            let stop = ctx.cancellation().child_token();
            let _stops_when_dropped = stop.clone().drop_guard();
            let (redactor, gate) = (ctx.redactor().clone(), ctx.path_gate().clone());
            let work = move || {
                let stopped = || stop.is_cancelled();
                let place = Place { workspace: &workspace, redactor, gate, stopped: &stopped };
                search(&index, &place, &arguments, most)
            };
            // A panic fails this call and not the turn (RULES L8). The next call reopens the index.
            let broken = |_| {
                ToolError::model("the search failed with an internal error")
                    .with_advice("Call it again, or use grep_file.")
            };
            let mut searching = tokio::task::spawn_blocking(work);
            let found = if let Ok(found) = tokio::time::timeout(SLOW, &mut searching).await {
                found
            } else {
                ctx.send(Progress::Note("the index of the code is being updated".to_owned())).await;
                searching.await
            };
            let mut answer = found.map_err(broken)??;
            if ctx.cancellation().is_cancelled() && answer.passages.is_empty() {
                return Err(ToolError::model(
                    "the search was stopped before its end, and found nothing until then",
                ));
            }
            if let Some(ranker) = self.ranker.as_ref().filter(|_| !answer.passages.is_empty()) {
                let ranked =
                    ctx.cancellation().run_until_cancelled(ranker.rank(&query, &answer.passages)).await;
                order(&mut answer, ranked.unwrap_or_else(|| Err("it was stopped".to_owned())));
            }
            answer.passages.truncate(limit);
            Ok(Output::text(words(&answer)))
        })
    }
}

fn search(
    index: &Index,
    place: &Place<'_>,
    arguments: &SearchArguments,
    limit: usize,
) -> Result<Answer, ToolError> {
    let asked = query_words(&arguments.query);
    if asked.is_empty() {
        return Err(
            ToolError::model("the query has no word").with_advice("Give some words that the code would use.")
        );
    }
    let language = language(arguments.language.as_deref())?;
    let (path, _) = place.start(arguments.path.as_deref())?;
    // A poisoned lock means that a call panicked with the index open; reopen it.
    let mut store = index.store.lock().unwrap_or_else(|poisoned| {
        index.store.clear_poison();
        let mut store: std::sync::MutexGuard<'_, _> = PoisonError::into_inner(poisoned);
        *store = None;
        store
    });
    let within = QueryFilters { path: &path, language, limit };
    let (hits, behind, made) =
        query_index(index, &mut store, place, &asked, &within).map_err(|trouble| unusable(&trouble))?;
    drop(store);
    let passages = hits.into_iter().filter_map(|hit| {
        let relative = place.workspace.resolve(&hit.file).ok()?;
        // The index contains the words of all files, and policy decides which of them this call may show.
        let source = place.shows(relative.relative()).then(|| place.source(relative.relative()))??;
        let whole = String::from_utf8_lossy(&source.bytes);
        let lines = (hit.first, hit.last);
        let (text, body) = (snippet(&whole, lines, &asked), body(&whole, lines, MAX_BODY_BYTES));
        // The index may have stored names before a secret in them was registered.
        let clean = |name: &str| place.redactor.redact(name).into_owned();
        let (path, symbol) = (clean(&hit.file), hit.symbol.as_deref().map(clean));
        Some(Passage { path, lines, symbol, text, body, score: hit.score })
    });
    let passages = passages.collect();
    Ok(Answer { passages, notes: notes(behind, made), asked })
}

type Found = (Vec<Hit>, StaleFiles, Option<&'static str>);

/// Queries the index. Reopens a damaged index, and rebuilds it if it is still damaged.
fn query_index(
    index: &Index,
    store: &mut Option<Store>,
    place: &Place<'_>,
    asked: &[String],
    within: &QueryFilters<'_>,
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
            // Another process may have rebuilt the index already, so first try to reopen it.
            *store = None;
            match attempt(store) {
                Err(Trouble::Broken(_)) => {}
                result => return result,
            }
            let broken = store.take();
            *store = Some(Store::remake(&index.folder, broken.as_ref(), reason, place.stopped)?);
            attempt(store)
        }
        result => result,
    }
}

fn unusable(trouble: &Trouble) -> ToolError {
    let (problem, advice) = match trouble {
        Trouble::Busy => (
            "another process is making the index".to_owned(),
            "Call again in a few seconds, or use grep_file.",
        ),
        Trouble::Broken(error) => (format!("the index cannot be used ({error})"), "Use grep_file."),
        Trouble::Folder(error) => {
            (format!("the folder of the index cannot be used ({error})"), "Use grep_file.")
        }
    };
    ToolError::model(problem).with_advice(advice)
}
