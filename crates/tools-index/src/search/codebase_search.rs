//! The tool `codebase_search`.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_sandbox::{Look, Workspace};
use windlass_tool::{
    Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture, read_arguments,
};

use super::answer::{Answer, notes, order, words};
use super::embedder::{Embedder, EmbeddingLimits};
use super::embedding_ranker::EmbeddingRanker;
use super::folder::Folder;
use super::hits::{Hit, Within, asked, hits};
use super::ranker::{Passage, Ranker};
use super::refresh::{Behind, refresh};
use super::snippet::{body, snippet};
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
/// How much of a passage a ranker is given: a line may be a whole file.
const MAX_BODY_BYTES: usize = 16 * 1024;

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

    /// The same tool with an order that is made of BM25's and that of embeddings. Passages go to the embedder, without
    /// the secrets that the call's context names; its vectors are kept beside the index.
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

    /// A dropped call ends after the file at hand, and keeps what it has indexed.
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
            // A panic fails this call and not the turn (RULES L8); the index is opened anew by the next.
            let broken = |_| ToolError::model("the search broke; call it again, or use grep_file");
            let mut answer = tokio::task::spawn_blocking(work).await.map_err(broken)??;
            if ctx.cancellation().is_cancelled() && answer.passages.is_empty() {
                return Err(ToolError::model(
                    "the search was stopped before its end, and had found nothing until then",
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
        // The index holds the words of all files. Policy says which this call may show.
        let source = place.shows(relative.relative()).then(|| place.source(relative.relative()))??;
        let whole = String::from_utf8_lossy(&source.bytes);
        let lines = (hit.first, hit.last);
        let (text, body) = (snippet(&whole, lines, &asked), body(&whole, lines, MAX_BODY_BYTES));
        // What the index kept of names is older than the secrets that are known now.
        let clean = |name: &str| place.redactor.redact(name).into_owned();
        let (path, symbol) = (clean(&hit.file), hit.symbol.as_deref().map(clean));
        Some(Passage { path, lines, symbol, text, body, score: hit.score })
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
            // Another process may have met the same, and made it anew: what is whole on the disk is used.
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
    ToolError::model(match trouble {
        Trouble::Busy => {
            "another process is making the index; call again in a few seconds, or use grep_file".to_owned()
        }
        Trouble::Broken(error) => format!("the index cannot be used ({error}); use grep_file"),
        Trouble::Folder(error) => format!("the folder of the index cannot be used ({error}); use grep_file"),
    })
}
