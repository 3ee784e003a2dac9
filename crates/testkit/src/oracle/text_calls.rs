//! Properties of the scanner for calls written as text, for one family of dialects at a time.

use std::collections::BTreeSet;

use windlass_protocol::{ToolName, ToolSpec};
use windlass_stream::{CallChunk, CallKey, Chunk};
use windlass_text_calls::{CallsInReasoning, Dialect, Reasoning, Scanner, TextCallLimits, TextCallOptions};

use crate::oracle::assemble::check_assembly;
use crate::split;

/// Any text in the dialects with parameters in tags: the chunks do not depend on how the text is split, no
/// text is lost, calls start once and end at most once, and the scanner does not panic (RULES S14, X1, X3).
///
/// # Panics
/// The property is violated.
pub fn text_calls_tags(bytes: &[u8]) {
    use Dialect::{Dsml, Glm, Invoke, KimiK3, MiniCpm, MinimaxM2, MinimaxM3, Qwen3Coder, Roo, SeedOss};
    check(bytes, &[Roo, Invoke, Qwen3Coder, Dsml, Glm, MinimaxM2, MinimaxM3, SeedOss, KimiK3, MiniCpm]);
}

/// Like [`text_calls_tags`], for the dialects with JSON between tags or marks.
///
/// # Panics
/// The property is violated.
pub fn text_calls_envelopes(bytes: &[u8]) {
    use Dialect::{
        Apertus, Apriel, CommandR, FireFunction, GigaChat, Granite, Hermes, InternLm, LongCat, Nemotron,
    };
    let dialects =
        [Hermes, Granite, Nemotron, Apriel, Apertus, CommandR, GigaChat, FireFunction, InternLm, LongCat];
    check(bytes, &dialects);
}

/// Like [`text_calls_tags`], for the dialects with the name between marks, and those with calls as code.
///
/// # Panics
/// The property is violated.
pub fn text_calls_markers(bytes: &[u8]) {
    use Dialect::{DeepSeek, Functionary, Gemma, Harmony, KimiK2, Lfm2, Mistral, Pythonic};
    check(bytes, &[Mistral, DeepSeek, KimiK2, Functionary, Harmony, Gemma, Lfm2, Pythonic]);
}

/// Like [`text_calls_tags`], for bare JSON and for an unknown dialect.
///
/// # Panics
/// The property is violated.
pub fn text_calls_bare(bytes: &[u8]) {
    check(bytes, &[Dialect::Json, Dialect::Structured, Dialect::Llama3, Dialect::Auto]);
}

/// Checks one dialect. The first byte selects the dialect and the handling of thoughts, so that each input is
/// cheap.
fn check(bytes: &[u8], dialects: &[Dialect]) {
    let Some((&pick, rest)) = bytes.split_first() else { return };
    let dialect = dialects[usize::from(pick) % dialects.len()];
    let text = String::from_utf8_lossy(rest);
    let reasoning = match pick >> 6 {
        0 | 1 => Reasoning::Keep,
        2 => Reasoning::Split,
        _ => Reasoning::SplitOpened,
    };
    // The limits are small, so that inputs exceed them.
    let limits = TextCallLimits { held_bytes: 96, value_bytes: 40, calls: 3 };
    let options =
        TextCallOptions::default().with_dialect(dialect).with_tools(tools()).with_reasoning(reasoning);
    for options in [
        options.clone(),
        options.clone().with_limits(limits).with_calls_in_reasoning(CallsInReasoning::EndReasoning),
        options.with_any_tool(),
    ] {
        let whole = scan(&options, &[&text]);
        for way in ways(&text) {
            assert_eq!(scan(&options, &way), whole, "{dialect} split as {way:?}");
        }
        check_text(&text, &whole);
        check_calls(&whole);
        check_assembly(whole);
    }
    // Without tools and template marks the output equals the input.
    let bare = TextCallOptions::default().with_dialect(Dialect::Auto);
    assert_eq!(words(&scan(&bare, &[&text])), text, "nothing is on offer");
}

fn tools() -> Vec<ToolSpec> {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},
        "n":{"type":"integer"},"list":{"type":"array"},"any":{"type":["object","string","null"]}}}"#;
    let tool = |name: &str| {
        let name = ToolName::new(name).expect("a plain name");
        ToolSpec::function(name, "", schema.parse().expect("the schema is JSON"))
    };
    vec![tool("f"), tool("write")]
}

/// Returns the ways to split the bytes, moved to character boundaries.
fn ways(text: &str) -> Vec<Vec<&str>> {
    let whole = |way: Vec<&[u8]>| {
        let (mut from, mut end, mut pieces) = (0, 0, Vec::new());
        for piece in way {
            end += piece.len();
            if text.is_char_boundary(end) {
                pieces.push(&text[from..end]);
                from = end;
            }
        }
        pieces
    };
    split::ways(text.as_bytes()).into_iter().map(whole).collect()
}

fn scan(options: &TextCallOptions, pieces: &[&str]) -> Vec<Chunk> {
    let mut scanner = Scanner::new(options.clone());
    let mut chunks = Vec::new();
    for piece in pieces {
        scanner.push(piece, &mut chunks);
    }
    scanner.finish(&mut chunks);
    let told = chunks.len();
    scanner.finish(&mut chunks);
    assert_eq!(chunks.len(), told, "a second end has no effect");
    merge(chunks)
}

fn merge(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut merged: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match (merged.last_mut(), &chunk) {
            (Some(Chunk::Text { text: last }), Chunk::Text { text })
            | (Some(Chunk::Reasoning { text: last }), Chunk::Reasoning { text }) => last.push_str(text),
            (
                Some(Chunk::Call(CallChunk::Delta { key: last, arguments: all })),
                Chunk::Call(CallChunk::Delta { key, arguments }),
            ) if last == key => all.push_str(arguments),
            _ => merged.push(chunk),
        }
    }
    merged
}

fn words(chunks: &[Chunk]) -> String {
    let words = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Text { text } | Chunk::Reasoning { text } => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

/// Checks that the emitted text is a subsequence of the input; calls and marks are the rest. The text of a
/// structured answer is unescaped, so texts with escapes are skipped.
fn check_text(text: &str, chunks: &[Chunk]) {
    if text.contains('\\') {
        return;
    }
    let mut rest = text.chars();
    for c in words(chunks).chars() {
        assert!(rest.any(|other| other == c), "{c:?} was never written, or not there");
    }
    if chunks.iter().all(|chunk| matches!(chunk, Chunk::Text { .. })) && !text.contains(['<', '{', '>']) {
        assert!(text.len() - words(chunks).len() <= "all\n".len(), "nothing is taken away");
    }
}

/// Checks that calls start before they grow, end at most once, and do not grow after their end.
fn check_calls(chunks: &[Chunk]) {
    let (mut begun, mut ended) = (BTreeSet::<CallKey>::new(), BTreeSet::new());
    let mut ids = BTreeSet::new();
    for chunk in chunks {
        match chunk {
            Chunk::Call(CallChunk::Start { key, id, .. }) => {
                assert!(
                    begun.insert(*key) && ids.insert(id.clone()),
                    "a call begins once, with an id of its own"
                );
            }
            Chunk::Call(CallChunk::Delta { key, .. }) => {
                assert!(begun.contains(key) && !ended.contains(key), "a call grows while it is open");
            }
            Chunk::Call(CallChunk::End { key, .. }) => {
                assert!(begun.contains(key) && ended.insert(*key), "a call that began ends once");
            }
            _ => {}
        }
    }
}
