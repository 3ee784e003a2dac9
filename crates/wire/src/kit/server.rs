//! Conformance of the provider's side of a format. A server that passes can be used in a gateway.

mod answers;
mod bodies;
mod content;
mod errors;
mod rule;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::Request;
use windlass_protocol::kit::RuleViolation;

use crate::{RequestError, Server, Wire};

use answers::AnswerWriter;
pub use rule::ServerRule;

/// The result of a check.
type RuleResult<T> = Result<T, RuleViolation<ServerRule>>;

/// Checks the provider's side of a format with its client's side and a request that the format can express. The client's
/// side must encode a decoded request as it was given, without marks or options of its own.
///
/// The kit encodes the request for each form of delivery and decodes it again. It lets the server write answers with
/// texts, calls and usage in each of its framings, and reads them with `wire`: whole, in two pieces split at each byte, cut at
/// each byte, and interrupted. Then it writes error responses and failures inside a stream, and sends bodies that are not
/// a request. It performs no I/O.
///
/// In the tests of a crate with a format `Lines` on both sides, the call is `check_server(&Lines, &Lines, &request)?`.
///
/// # Errors
/// Returns the first rule that the server does not follow.
pub fn check_server(
    server: &dyn Server,
    wire: &dyn Wire,
    request: &Request,
) -> Result<(), RuleViolation<ServerRule>> {
    if server.name() != wire.name() {
        let found = format!("the server is {:?} and the client's side {:?}", server.name(), wire.name());
        return Err(RuleViolation::new(ServerRule::HasOneName, found));
    }
    let asked = bodies::check_requests(server, wire, request)?;
    bodies::check_damaged(server, wire, request)?;
    bodies::check_foreign_bodies(server)?;
    let writer = AnswerWriter { server, asked: &asked };
    answers::check_answers(&writer, wire)?;
    answers::check_interrupted(&writer, wire)?;
    errors::check_errors(server, wire)?;
    errors::check_failures(&writer, wire)
}

/// Checks one body of a client, which can be anything: the outline and the decoded form agree, and a refusal has a
/// message. [`check_server`] calls it with damaged bodies; a test with random bodies can call it too.
///
/// # Errors
/// Returns the rule that the server does not follow.
pub fn check_client_body(
    server: &dyn Server,
    path: &str,
    body: &[u8],
) -> Result<(), RuleViolation<ServerRule>> {
    let shown = || String::from_utf8_lossy(body.get(..200).unwrap_or(body)).into_owned();
    let outline = catch("outline", || server.outline(path, body))?;
    let decoded = match catch("decode_request", || server.decode_request(path, body))? {
        Ok(decoded) => decoded,
        Err(error) => return explain_refusal(&error, &shown()),
    };
    let problem = match outline {
        Ok(outline) if outline.model != decoded.request.model => {
            format!(
                "the outline names the model {:?}, the request {:?}",
                outline.model, decoded.request.model
            )
        }
        Ok(outline) if outline.framing != decoded.framing => {
            format!("the outline has the framing {:?}, the request {:?}", outline.framing, decoded.framing)
        }
        Ok(_) => return Ok(()),
        // Which of two models a provider takes is not known, so an outline may refuse what the decoder takes.
        Err(_) if repeats_a_field(body) => return Ok(()),
        Err(error) => format!("a decoded request has no outline: {error}"),
    };
    Err(RuleViolation::new(ServerRule::OutlinesRequests, format!("{problem}, in {}", shown())))
}

/// Returns true if a body has the field of the model or of the delivery twice.
fn repeats_a_field(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its parsing counts")]
    struct Once<'a> {
        #[serde(borrow, default)]
        model: Option<&'a RawValue>,
        #[serde(borrow, default)]
        stream: Option<&'a RawValue>,
    }
    let text = crate::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    let repaired = crate::replace_lone_surrogates(text);
    let text = repaired.as_deref().unwrap_or(text);
    serde_json::from_str::<Value>(text).is_ok() && serde_json::from_str::<Once<'_>>(text).is_err()
}

fn explain_refusal(error: &RequestError, body: &str) -> RuleResult<()> {
    let is_explained = match error {
        RequestError::Shape { what, .. } => !what.is_empty(),
        _ => true,
    };
    if is_explained {
        return Ok(());
    }
    Err(RuleViolation::new(ServerRule::RefusesForeignBodies, format!("a refusal has no reason, of {body}")))
}

/// Runs a method of the format.
fn catch<T>(method: &str, work: impl FnOnce() -> T) -> RuleResult<T> {
    RuleViolation::catch(ServerRule::NeverPanics, method, work)
}
