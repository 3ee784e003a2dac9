//! The rules of requests.

use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{Delivery, Request};

use super::{RuleResult, ServerRule, catch, check_client_body};
use crate::{Framing, HttpRequest, Server, Wire};

/// The largest number of places at which a body is damaged.
const PLACES: usize = 400;

/// Checks the request in each form of delivery, and returns the decoded request for a stream.
pub(super) fn check_requests(server: &dyn Server, wire: &dyn Wire, request: &Request) -> RuleResult<Request> {
    let mut streamed = None;
    for delivery in [Delivery::Whole, Delivery::Stream] {
        let http = encode(wire, &with_delivery(request, delivery))?;
        if !catch("serves", || server.serves(&http.path))? {
            let found = format!("`serves` returned false for {}", http.path);
            return Err(RuleViolation::new(ServerRule::DecodesRequests, found));
        }
        let decoded = catch("decode_request", || server.decode_request(&http.path, &http.body))?;
        let decoded = decoded.map_err(|error| {
            RuleViolation::new(ServerRule::DecodesRequests, format!("`decode_request` failed: {error}"))
                .with_source(error)
        })?;
        check_client_body(server, &http.path, &http.body)?;
        let is_whole = decoded.framing == Framing::Whole;
        if is_whole != (delivery == Delivery::Whole) {
            let found = format!("a request for {delivery:?} has the framing {:?}", decoded.framing);
            return Err(RuleViolation::new(ServerRule::DecodesRequests, found));
        }
        let again = encode(wire, &with_delivery(&decoded.request, delivery))?;
        if again != http {
            let (before, now) = (String::from_utf8_lossy(&http.body), String::from_utf8_lossy(&again.body));
            let found = format!("{before} became {now}");
            return Err(RuleViolation::new(ServerRule::KeepsRequests, found));
        }
        streamed = Some(decoded.request);
    }
    streamed.ok_or_else(|| RuleViolation::new(ServerRule::DecodesRequests, "no request was decoded"))
}

/// Checks damaged copies of the request.
pub(super) fn check_damaged(server: &dyn Server, wire: &dyn Wire, request: &Request) -> RuleResult<()> {
    let HttpRequest { path, body, .. } = encode(wire, request)?;
    for place in (0..body.len()).step_by(body.len().div_ceil(PLACES).max(1)) {
        let (before, after) = body.split_at(place);
        let rest = after.get(1..).unwrap_or_default();
        check_client_body(server, &path, before)?;
        for replacement in [&b""[..], b"\xff", b"{", b"\"", b"0", b"\\ud800", b"null"] {
            check_client_body(server, &path, &[before, replacement, rest].concat())?;
        }
    }
    Ok(())
}

/// Checks bodies that are not a request, and a path of another API.
pub(super) fn check_foreign_bodies(server: &dyn Server) -> RuleResult<()> {
    let path = server.request_path();
    for body in [&b""[..], b"<html>no</html>", b"null", b"[]", b"7", b"\"model\"", b"\xff\xfe", b"{"] {
        check_client_body(server, path, body)?;
        if catch("decode_request", || server.decode_request(path, body))?.is_ok() {
            let text = String::from_utf8_lossy(body);
            let found = format!("`decode_request` took {text:?} for a request");
            return Err(RuleViolation::new(ServerRule::RefusesForeignBodies, found));
        }
    }
    for path in ["", "/", "/no/such/path"] {
        if catch("serves", || server.serves(path))? {
            let found = format!("`serves` returned true for {path:?}");
            return Err(RuleViolation::new(ServerRule::RefusesForeignBodies, found));
        }
    }
    Ok(())
}

fn with_delivery(request: &Request, delivery: Delivery) -> Request {
    let mut request = request.clone();
    request.delivery = delivery;
    request
}

fn encode(wire: &dyn Wire, request: &Request) -> RuleResult<HttpRequest> {
    catch("encode", || wire.encode(request))?.map_err(|error| {
        RuleViolation::new(ServerRule::DecodesRequests, format!("`encode` failed: {error}"))
            .with_source(error)
    })
}
