//! The sources of an answer from a model with a search in the web.

use serde_json::Value;
use windlass_protocol::{Citation, CitationSource};

/// Returns the citation in an annotation of the message. Its range counts characters.
pub(crate) fn citation(annotation: &Value) -> Option<Citation> {
    let inner = annotation.get("url_citation")?;
    let text = |name: &str| inner.get(name).and_then(Value::as_str).map(str::to_owned);
    let index = |name: &str| usize::try_from(inner.get(name)?.as_u64()?).ok();
    let range = index("start_index").zip(index("end_index")).map(|(start, end)| start..end);
    let citation = Citation::new(CitationSource::Url(text("url")?)).with_title(text("title"));
    Some(citation.with_quote(text("content")).with_range(range))
}
