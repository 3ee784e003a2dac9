//! The parts and the metadata of tools that the API ran, as observers see them.

use serde_json::Value;
use windlass_protocol::{Citation, CitationSource, HostedCall, HostedResult};
use windlass_stream::{Chunk, RangeUnit};

/// Returns the call or the result in a part, or `None` for a part of another kind.
pub(crate) fn show_part(part: &Value) -> Option<Chunk> {
    let members = part.as_object()?;
    let (name, inner) = members.iter().find(|(name, _)| {
        matches!(name.as_str(), "executableCode" | "codeExecutionResult" | "toolCall" | "toolResponse")
    })?;
    let text = |name: &str| inner.get(name).and_then(Value::as_str).unwrap_or_default();
    let rest = || {
        let mut rest = inner.clone();
        if let Some(rest) = rest.as_object_mut() {
            rest.remove("id");
        }
        rest
    };
    let field = |name: &str| inner.get(name).cloned().unwrap_or_default();
    let tool = text("toolType").to_ascii_lowercase();
    Some(match name.as_str() {
        "executableCode" => Chunk::HostedCall(HostedCall::new(text("id"), "code_execution", rest())),
        "toolCall" => Chunk::HostedCall(HostedCall::new(text("id"), tool, field("args"))),
        "toolResponse" => Chunk::HostedResult(HostedResult::new(text("id"), tool, field("response"))),
        _ => {
            let outcome = text("outcome");
            let error = (!matches!(outcome, "" | "OUTCOME_OK")).then(|| outcome.to_owned());
            let result = HostedResult::new(text("id"), "code_execution", rest()).with_error(error);
            Chunk::HostedResult(result)
        }
    })
}

/// Returns the citations of `groundingMetadata`: one for each pair of a passage and its source, or one for each source
/// without passages. Ranges count bytes of a part.
pub(crate) fn citations(metadata: &Value) -> Vec<Chunk> {
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let sources: Vec<Option<Citation>> = list(metadata, "groundingChunks").iter().map(source).collect();
    let supports = list(metadata, "groundingSupports");
    let chunk = |citation| Chunk::Citation { citation, unit: RangeUnit::Bytes };
    if supports.is_empty() {
        return sources.into_iter().flatten().map(chunk).collect();
    }
    let mut chunks = Vec::new();
    for support in &supports {
        let range = support.get("segment").and_then(range);
        for index in list(support, "groundingChunkIndices") {
            let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
            let citation = index.and_then(|index| sources.get(index)?.clone());
            chunks.extend(citation.map(|citation| chunk(citation.with_range(range.clone()))));
        }
    }
    chunks
}

fn source(chunk: &Value) -> Option<Citation> {
    let text = |inner: &Value, name: &str| inner.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(web) = chunk.get("web").or_else(|| chunk.get("maps")) {
        return Some(Citation::new(CitationSource::Url(text(web, "uri")?)).with_title(text(web, "title")));
    }
    let retrieved = chunk.get("retrievedContext")?;
    let (uri, title) = (text(retrieved, "uri"), text(retrieved, "title"));
    let document =
        || Some(CitationSource::Document(text(retrieved, "documentName").or_else(|| title.clone())?));
    let source = uri.map(CitationSource::Url).or_else(document)?;
    Some(Citation::new(source).with_quote(text(retrieved, "text")).with_title(title))
}

/// Returns the range of a passage in the first part of the text. A start of zero is omitted.
fn range(segment: &Value) -> Option<std::ops::Range<usize>> {
    let index = |name: &str| segment.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (start, end) = (usize::try_from(index("startIndex")).ok()?, usize::try_from(index("endIndex")).ok()?);
    (index("partIndex") == 0 && end > 0).then_some(start..end)
}
