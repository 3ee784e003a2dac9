//! `codebase_search` with embeddings: requests, stored vectors, and failures of the service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use windlass_protocol::{CallId, Effect};
use windlass_redact::Redactor;
use windlass_tool::{Context, Tool};
use windlass_tools_index::{CodebaseSearch, EmbedFuture, Embedder, EmbeddingLimits};

use super::{call_in, call_tool, scene, write};

/// Groups of words with the same meaning, one group per line.
const MEANINGS: &[&str] = &[
    "retry again attempt backoff wait sleep delay",
    "config settings options preferences load",
    "delete remove erase unlink drop",
    "login password authenticate credential verify user",
    "parse read decode token syntax",
    "picture image pixels resize scale thumbnail",
    "network connection socket dial connect",
    "cache memo store remember kept",
];

/// A model that knows these meanings: each has a dimension of its own, and all other words share a few dimensions.
#[derive(Debug, Default)]
struct Meanings {
    asked: Mutex<Vec<Vec<String>>>,
    /// The fault in place of an answer, for the request of this number.
    faults: HashMap<usize, Fault>,
    space: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    Refuses,
    NeverAnswers,
    TooFew,
    NotFinite,
    Empty,
    Longer,
}

const OTHERS: usize = 24;

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; MEANINGS.len() + OTHERS];
    let lower = text.to_lowercase();
    for word in lower.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()) {
        let meaning = MEANINGS.iter().position(|meaning| meaning.split(' ').any(|known| known == word));
        let other = || MEANINGS.len() + word.bytes().map(usize::from).sum::<usize>() % OTHERS;
        vector[meaning.unwrap_or_else(other)] += if meaning.is_some() { 3.0 } else { 1.0 };
    }
    vector
}

impl Meanings {
    fn failing(faults: &[(usize, Fault)]) -> Arc<Self> {
        Arc::new(Self { faults: faults.iter().copied().collect(), ..Self::default() })
    }

    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap().clone()
    }
}

impl Embedder for Meanings {
    fn name(&self) -> String {
        "meanings at embed.example".to_owned()
    }

    fn space(&self) -> String {
        format!("meanings {}", self.space)
    }

    fn effects(&self) -> Vec<Effect> {
        vec![Effect::Connect { host: "embed.example".to_owned(), port: 443 }]
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> EmbedFuture<'a> {
        let mut asked = self.asked.lock().unwrap();
        let fault = self.faults.get(&asked.len()).copied();
        asked.push(texts.iter().map(|text| (*text).to_owned()).collect());
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text)).collect();
        Box::pin(async move {
            match fault {
                None => {}
                Some(Fault::Refuses) => return Err("no\nroute".to_owned()),
                Some(Fault::NeverAnswers) => std::future::pending().await,
                Some(Fault::TooFew) => drop(vectors.pop()),
                Some(Fault::NotFinite) => vectors[0][0] = f32::NAN,
                Some(Fault::Empty) => vectors.iter_mut().for_each(Vec::clear),
                Some(Fault::Longer) => vectors.iter_mut().for_each(|vector| vector.push(1.0)),
            }
            Ok(vectors)
        })
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "a.py",
        "def again_later(call):\n    # an error: wait, attempt again after a delay, with backoff\n    sleep(2)\n",
    ),
    ("b.py", "def remember(file):\n    cache.store(file)  # kept\n"),
    ("c.py", "def load_settings():\n    # preferences and options of the file\n    return settings\n"),
    ("e.py", "def unlink_path(p):\n    erase(p)  # remove and drop the file\n"),
    ("g.py", "def thumbnail(image):\n    # an image that is too large\n    resize(pixels)  # scale\n"),
    ("n.py", "def dial(socket):\n    # the host of the network\n    connect(socket)\n"),
];

/// Five files that one query finds.
const FEW: &[(&str, &str)] = &[
    ("a.py", "def read(config):\n    pass\n"),
    ("b.py", "def file_names():\n    return config\n"),
    ("c.py", "def load_settings(file):\n    return options\n"),
    ("d.py", "def unlink(file):\n    pass\n"),
    ("e.py", "def thumbnail(file):\n    pass\n"),
];
const QUERY: &str = "config file";

/// The query, the file that answers it, and words that occur in many other files.
const QUERIES: &[(&str, &str, &str)] = &[
    ("retry after error", "a.py", "error"),
    ("config file", "c.py", "file"),
    ("delete this file", "e.py", "file"),
    ("picture too large", "g.py", "large"),
    ("open connection to host", "n.py", "host"),
];

/// Returns files whose names contain a word of a query, and whose code is about another subject.
fn strangers() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (_, _, word) in QUERIES {
        for (number, about) in
            ["table row", "tax sum", "tree leaf", "word count", "list sort"].iter().enumerate()
        {
            let (left, right) = about.split_once(' ').unwrap();
            let text = format!(
                "def {left}_{word}({right}):\n    {left} = {right}.{left}({word})\n    return {left} + {right}\n"
            );
            files.push((format!("{word}{number}.py"), text));
        }
    }
    files
}

fn plain(folder: &tempfile::TempDir, workspace: &Arc<windlass_sandbox::Workspace>) -> CodebaseSearch {
    CodebaseSearch::new(Arc::clone(workspace), folder.path().join("state")).unwrap()
}

fn ask(tool: &CodebaseSearch, query: &str) -> String {
    call_tool(tool, &json!({"query": query})).unwrap()
}

/// The files of a result, best first.
fn files(text: &str) -> Vec<&str> {
    let heads = text.lines().skip(1).filter(|line| line.ends_with(')') && !line.starts_with(' '));
    heads.filter_map(|line| line.split(':').next()).collect()
}

/// Returns the mean reciprocal rank of the right answers.
fn quality(tool: &CodebaseSearch) -> f64 {
    let place = |(query, right, _): &(&str, &str, &str)| {
        let text = ask(tool, query);
        let place = files(&text).iter().position(|file| file == right);
        place.map_or(0.0, |place| 1.0 / f64::from(u32::try_from(place).unwrap() + 1))
    };
    QUERIES.iter().map(place).sum::<f64>() / f64::from(u32::try_from(QUERIES.len()).unwrap())
}

#[test]
fn embeddings_improve_the_ranking_over_bm25() {
    let (folder, workspace) = scene(FILES);
    for (path, text) in strangers() {
        write(workspace.root(), &[(&path, &text)]);
    }
    let words = quality(&plain(&folder, &workspace));
    let both =
        plain(&folder, &workspace).with_embedder(Arc::new(Meanings::default()), EmbeddingLimits::default());
    let both = quality(&both);

    // The order of equal scores differs between indexes, which moves a place or two.
    assert!(words < 0.8 && both > words + 0.1, "{words} by words, {both} by both");
}

#[test]
fn only_the_query_and_new_passages_cost_a_request() {
    let (folder, workspace) = scene(FEW);
    let (model, limits) = (Arc::new(Meanings::default()), EmbeddingLimits::default());
    let tool = plain(&folder, &workspace).with_embedder(model.clone(), limits);
    let text = ask(&tool, QUERY);
    let first = text.lines().next().unwrap();
    assert!(
        first.contains("ranked by words and by meanings at embed.example, which was sent 5 passages"),
        "{first}"
    );
    assert_eq!((model.asked().len(), model.asked()[0].len()), (1, 6));
    assert_eq!(model.asked()[0][0], QUERY);
    assert!(
        model.asked()[0].contains(&format!("c.py function load_settings\n{}", FEW[2].1)),
        "{:?}",
        model.asked()
    );
    ask(&tool, "file config");
    assert_eq!(model.asked()[1], ["file config"]);
    // Another process has the stored vectors too, and requests only those of changed files.
    let (model, again) = (Arc::new(Meanings::default()), plain(&folder, &workspace));
    let again = again.with_embedder(model.clone(), limits);
    write(workspace.root(), &[("d.py", "def config(): pass\n")]);
    ask(&again, QUERY);
    assert_eq!(model.asked(), [[QUERY, "d.py function config\ndef config(): pass\n"]]);
    // A model of another name has vectors of its own.
    let other = Arc::new(Meanings { space: "2", ..Meanings::default() });
    ask(&plain(&folder, &workspace).with_embedder(other.clone(), limits), QUERY);
    assert_eq!(other.asked()[0].len(), 6);
}

#[test]
fn requests_are_bounded_in_texts_and_bytes() {
    let (folder, workspace) = scene(FEW);
    let check = |limits: EmbeddingLimits, space, expected: &[usize]| {
        let model = Arc::new(Meanings { space, ..Meanings::default() });
        ask(&plain(&folder, &workspace).with_embedder(model.clone(), limits), QUERY);
        assert_eq!(model.asked().iter().map(Vec::len).collect::<Vec<_>>(), expected, "{:?}", model.asked());
        model
    };
    let limits = EmbeddingLimits::default();
    check(limits.with_batch(2, 1 << 20), "a", &[2, 2, 2]);
    check(limits.with_batch(100, 40), "b", &[1, 1, 1, 1, 1, 1]);
    let cut = check(limits.with_passage_bytes(6), "c", &[6]);
    assert!(cut.asked()[0].iter().all(|text| text.len() <= 6), "{:?}", cut.asked());
}

#[test]
fn bm25_order_stays_if_embeddings_fail() {
    let (folder, workspace) = scene(FEW);
    let expected = ask(&plain(&folder, &workspace), QUERY);
    let limits = EmbeddingLimits::default().with_total(Duration::from_millis(20));
    for (fault, space, said) in [
        (Fault::Refuses, "a", "(meanings at embed.example: no route), so the order is BM25's"),
        (Fault::NeverAnswers, "b", "(meanings at embed.example: no response arrived within 20ms), so"),
        (Fault::TooFew, "c", "5 vectors came for 6 texts"),
        (Fault::NotFinite, "d", "a vector has a number that is not finite"),
        (Fault::Empty, "e", "a vector has 0 numbers"),
    ] {
        let faults = HashMap::from([(0, fault)]);
        let model = Arc::new(Meanings { faults, space, ..Meanings::default() });
        let tool = plain(&folder, &workspace).with_embedder(model, limits);
        let text = ask(&tool, QUERY);
        assert!(text.lines().next().unwrap().contains(said), "{said}: {text}");
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected.lines().skip(1).collect::<Vec<_>>());
        // The next call succeeds, and no invalid vector was stored.
        assert!(ask(&tool, QUERY).contains("; ranked by words and by "));
    }
}

#[test]
fn vectors_received_before_a_failure_are_kept() {
    let (folder, workspace) = scene(FEW);
    let model = Meanings::failing(&[(1, Fault::NeverAnswers)]);
    let limits = EmbeddingLimits::default().with_batch(3, 1 << 20).with_total(Duration::from_millis(100));
    let tool = plain(&folder, &workspace).with_embedder(model.clone(), limits);
    assert!(ask(&tool, QUERY).contains("the ranker failed"));
    ask(&tool, QUERY);
    assert_eq!(model.asked().iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3, 1]);
}

#[test]
fn a_changed_vector_length_re_embeds_everything() {
    let (folder, workspace) = scene(FEW);
    let limits = EmbeddingLimits::default();
    ask(&plain(&folder, &workspace).with_embedder(Arc::new(Meanings::default()), limits), QUERY);
    let model = Meanings::failing(&[(0, Fault::Longer), (1, Fault::Longer), (2, Fault::Longer)]);
    let tool = plain(&folder, &workspace).with_embedder(model.clone(), limits);
    let text = ask(&tool, QUERY);
    assert!(text.contains("; ranked by words and by "), "{text}");
    assert_eq!(model.asked().iter().map(Vec::len).collect::<Vec<_>>(), [1, 5]);
    ask(&tool, QUERY);
    assert_eq!(model.asked()[2].len(), 1);
    // A change of the order in the middle of one search is not allowed.
    let model = Arc::new(Meanings {
        faults: HashMap::from([(1, Fault::Longer)]),
        space: "changing",
        ..Meanings::default()
    });
    let tool = plain(&folder, &workspace).with_embedder(model, limits.with_batch(2, 1 << 20));
    assert!(ask(&tool, QUERY).contains("a vector has 33 numbers, another has 32"));
}

#[test]
fn no_secret_goes_out_and_the_host_is_named() {
    let (folder, workspace) = scene(&[
        ("a.py", "def connect():\n    return dial('planted-secret-0001')\n"),
        ("of-planted-secret-0001.py", "def connect_all():\n    pass\n"),
        ("credentials.json", "{\"connect\": \"planted-secret-0002\"}\n"),
        (".env", "CONNECT=planted-secret-0003\n"),
    ]);
    let model = Arc::new(Meanings::default());
    let tool = plain(&folder, &workspace).with_embedder(model.clone(), EmbeddingLimits::default());
    let redactor = Redactor::new(["planted-secret-0001".into(), "planted-query-0004".into()]);
    let ctx = Context::new(CallId::new("call_1").unwrap()).with_redactor(redactor);
    call_in(&ctx, &tool, &json!({"query": "connect planted-query-0004"})).unwrap();
    let asked = format!("{:?}", model.asked());
    assert!(asked.contains("def connect()") && asked.contains("connect_all"), "{asked}");
    assert!(!asked.contains("planted-"), "{asked}");
    let effects = tool.effects(&super::payload(&json!({"query": "connect"})));
    assert!(effects.contains(&Effect::Connect { host: "embed.example".to_owned(), port: 443 }));
    assert!(tool.hints().open_world);
    // Without results no request is made.
    let before = model.asked().len();
    assert!(ask(&tool, "zebra").starts_with("[nothing found"));
    assert_eq!(model.asked().len(), before);
}
