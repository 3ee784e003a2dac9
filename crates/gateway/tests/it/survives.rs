//! The fate of each feature between each two formats: a test sends it through a gateway and compares the arrived request.
//!
//! The table in `SURVIVES.md` is written by this test: `UPDATE_EXPECT=1 cargo test -p windlass-gateway survives`.

mod answers;
mod events;
mod fields;
mod requests;

use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::{Value, json};
use windlass_assemble::{Answer, AssembleOptions, Assembler, Normalizer};
use windlass_gateway::carry;
use windlass_protocol::{Message, PromptCache, Request};
use windlass_stream::Chunk;
use windlass_wire::{DecodedRequest, Framing, ResponseHead, WireLimits};

use self::answers::{ANSWERS, Said};
use self::requests::{Feature, features};
use crate::formats::{Format, formats};
use crate::serve::tools;

/// The fate of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It arrived unchanged.
    Whole,
    /// It arrived changed.
    Changed,
    /// It did not arrive.
    Lost,
    /// It was refused before anything was sent.
    Refused,
    /// It did not arrive, because the gateway implements it.
    Kept,
    /// The client's own format cannot express it.
    Unsayable,
}

impl Fate {
    fn word(self) -> &'static str {
        match self {
            Self::Whole => "yes",
            Self::Changed => "changed",
            Self::Lost => "no",
            Self::Refused => "refused",
            Self::Kept => "gateway",
            Self::Unsayable => "–",
        }
    }

    fn of(sent: &Value, arrived: &Value) -> Self {
        if sent == arrived {
            return Self::Whole;
        }
        let is_nothing = arrived.is_null()
            || arrived.as_array().is_some_and(Vec::is_empty)
            || arrived.as_str().is_some_and(str::is_empty);
        if is_nothing { Self::Lost } else { Self::Changed }
    }
}

/// Sends a request from a client of one format to a provider of another, and compares what arrives.
fn request_fate(feature: &Feature, from: &Format, to: &Format) -> Fate {
    // Gemini's calls have ids if the model has this name.
    let mut asked = Request::new("gemini-3-pro", vec![Message::user("hi")]);
    // A feature is sent alone: without the cache markers of a client.
    asked.options.prompt_cache = PromptCache::Off;
    (feature.put)(&mut asked);
    let wanted = (feature.see)(&asked);
    let Ok(first) = from.wire.encode(&asked) else { return Fate::Unsayable };
    let asked = from.server.decode_request(&first.path, &first.body).unwrap();
    let carried = carry(asked.request, from.server.as_ref(), to.wire.as_ref());
    if carried.refused.is_some() {
        return Fate::Refused;
    }
    let Ok(second) = to.wire.encode(&carried.request) else { return Fate::Refused };
    let arrived = to.server.decode_request(&second.path, &second.body).unwrap();
    match Fate::of(&wanted, &(feature.see)(&arrived.request)) {
        Fate::Changed if carried.is_single_call => Fate::Kept,
        Fate::Lost if !carried.stop_sequences.is_empty() || carried.is_json => Fate::Kept,
        fate => fate,
    }
}

/// Returns the bytes in which a server of a format sends chunks.
fn written(format: &Format, chunks: Vec<Chunk>) -> Vec<u8> {
    let mut asked =
        DecodedRequest::new(Request::new("gemini-3-pro", Vec::new()).with_tools(tools()), Framing::Events);
    asked.request.options.extra.insert("stream_options".into(), json!({ "include_usage": true }));
    let mut encoder = format.server.encoder(&asked, ResponseHead::new("1", "m", 0));
    let (mut bytes, mut normal) = (Vec::new(), Vec::new());
    let mut normalizer = Normalizer::new(AssembleOptions::default());
    for chunk in chunks {
        normalizer.push(chunk, &mut normal);
    }
    normalizer.finish(&mut normal);
    for chunk in &normal {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    bytes
}

fn read(format: &Format, bytes: &[u8]) -> Vec<Chunk> {
    let (mut decoder, mut chunks) = (format.wire.decoder(WireLimits::default()), Vec::new());
    decoder.push(bytes, &mut chunks).unwrap();
    decoder.finish(&mut chunks).unwrap();
    chunks
}

fn assembled(chunks: Vec<Chunk>) -> Answer {
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    assembler.finish(&mut events)
}

/// Returns the fate of an answer that a provider of the second format sends and a client of the first format decodes.
fn answer_fate(said: &Said, from: &Format, to: &Format) -> Fate {
    let wanted = (said.see)(&assembled((said.chunks)()));
    let behind = read(to, &written(to, (said.chunks)()));
    let before = read(from, &written(from, behind));
    Fate::of(&wanted, &(said.see)(&assembled(before)))
}

fn short(format: &Format) -> &'static str {
    match format.name() {
        "openai-chat" => "Chat",
        "openai-responses" => "Responses",
        "anthropic" => "Anthropic",
        _ => "Gemini",
    }
}

/// Returns a table with a row for each feature and a column for each pair.
fn table(title: &str, pairs: &[(Format, Format)], rows: Vec<(&str, Vec<Fate>)>) -> String {
    let mut text = format!("\n## {title}\n\n| |");
    for (from, to) in pairs {
        write!(text, " {} → {} |", short(from), short(to)).unwrap();
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(pairs.len()));
    for (name, fates) in rows {
        write!(text, "\n| {name} |").unwrap();
        for fate in fates {
            write!(text, " {} |", fate.word()).unwrap();
        }
    }
    text.push('\n');
    text
}

// Issue 4, "Must be shown" 3.
#[tokio::test]
async fn the_survives_table_matches_the_behaviour() {
    let all = formats();
    let pairs: Vec<_> = all
        .iter()
        .flat_map(|from| all.iter().map(move |to| (from.clone(), to.clone())))
        .filter(|(from, to)| from.name() != to.name())
        .collect();
    assert_eq!(pairs.len(), 12);
    let asked: Vec<_> = features()
        .map(|feature| {
            (feature.name, pairs.iter().map(|(from, to)| request_fate(feature, from, to)).collect())
        })
        .collect();
    let said: Vec<_> = ANSWERS
        .iter()
        .map(|said| (said.name, pairs.iter().map(|(from, to)| answer_fate(said, from, to)).collect()))
        .collect();
    let count = |rows: &[(&str, Vec<Fate>)], fate| {
        rows.iter().flat_map(|row| &row.1).filter(|it| **it == fate).count()
    };
    for (kind, rows) in [("requests", &asked), ("answers", &said)] {
        println!(
            "corpus: what survives of {kind} in 12 pairs: {} whole, {} changed, {} lost, {} refused",
            count(rows, Fate::Whole),
            count(rows, Fate::Changed),
            count(rows, Fate::Lost),
            count(rows, Fate::Refused),
        );
    }
    let counts = [Fate::Whole, Fate::Changed, Fate::Kept, Fate::Refused, Fate::Lost]
        .map(|fate| format!("{} {}", count(&asked, fate) + count(&said, fate), fate.word()));
    let (events, number_of_events) = events::tables().await;
    let text = format!(
        "# What survives between two formats\n\n\
         For each pair of formats: the features that reach a provider of the second format if a client of the first \
         format sends them through the gateway. Generated by a test that sends each feature alone and compares the \
         received request or answer. `yes`: unchanged; `changed`: received in another form; `no`: omitted, and named in \
         the header `x-windlass-lost` if the feature has a name; `gateway`: the provider does not \
         receive it, and the gateway does it with the answer; `refused`: the client receives an error, because the \
         answer would differ without the feature; `–`: the client's format does not have the feature.\n\
         \n{} Events below: {number_of_events}.\n{}{}{}{events}",
        fields::count(&counts.join(", ")).await,
        table("Requests", &pairs, asked),
        table("Answers", &pairs, said),
        fields::tables().await,
    );
    expect_file!["../../SURVIVES.md"].assert_eq(&text);
}
