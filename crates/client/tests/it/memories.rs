//! A body that reuses the encoding of the previous request equals the body of a client without a previous request.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream;
use windlass_client::{Client, Transport, TransportFuture, TransportRequest, TransportResponse, Vendors};
use windlass_protocol::{
    Arguments, CallId, Message, Part, RawJson, Request, ResultStatus, ToolCall, ToolName, ToolResult,
    ToolSpec,
};
use windlass_stream::Model;
use windlass_wire::assert_append_only;

/// A transport that stores the last body and refuses the request.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Bytes>>);

impl Transport for Kept {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        *self.0.lock().unwrap() = request.body;
        Box::pin(async { Ok(TransportResponse::new(404, Vec::new(), Box::pin(stream::empty()))) })
    }
}

struct Asking {
    client: Client,
    kept: Kept,
}

impl Asking {
    fn new(vendors: &Vendors, vendor: &str) -> Self {
        let kept = Kept::default();
        let mut vendor = vendors.get(vendor).unwrap().clone();
        // Azure's base URL has a part that each user fills in.
        "http://localhost:1/v1".clone_into(&mut vendor.endpoint.base_url);
        Self { client: Client::vendor(vendor).transport(kept.clone()).build().unwrap(), kept }
    }

    fn body(&self, request: &Request) -> Bytes {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let refused = runtime.block_on(self.client.stream(request));
        assert!(refused.is_err(), "the transport refuses everything");
        self.kept.0.lock().unwrap().clone()
    }
}

fn request(vendor: &str) -> Request {
    let model = if vendor.starts_with("gemini") { "gemini-2.5-flash" } else { "m" };
    let tool = ToolSpec::function(ToolName::new("read").unwrap(), "reads", RawJson::default());
    let mut request = Request::new(model, vec![Message::user("begin")]).with_system("Be brief.");
    request.options.stop_sequences =
        if vendor.contains("responses") { Vec::new() } else { vec!["STOP".to_owned()] };
    request.options.temperature = Some(0.5);
    request.with_tools(vec![tool])
}

fn turn(request: &mut Request, number: usize) {
    let id = CallId::new(format!("call_{number}")).unwrap();
    let arguments = Arguments::parse(format!(r#"{{"path":"{number}.rs"}}"#)).unwrap();
    let call = ToolCall::function(id.clone(), ToolName::new("read").unwrap(), arguments);
    request.messages.push(Message::assistant(vec![Part::text("I look."), Part::Call(call)]));
    request.messages.push(Message::results([ToolResult::text(id, ResultStatus::Ok, "fn main() {}")]));
}

/// Checks for a vendor that one client sends two interleaved conversations, and a branch of one, as separate clients
/// would send them.
#[track_caller]
fn check(vendors: &Vendors, vendor: &str) {
    let shared = Asking::new(vendors, vendor);
    let mut conversations = [request(vendor), request(vendor)];
    let mut bodies = [const { Vec::new() }; 3];
    for number in 0..6 {
        for (at, request) in conversations.iter_mut().enumerate() {
            turn(request, number * 2 + at);
            bodies[at].push(shared.body(request));
            assert_eq!(bodies[at].last(), Some(&Asking::new(vendors, vendor).body(request)), "{vendor}");
        }
        let mut branch = conversations[0].clone();
        turn(&mut branch, 100);
        assert_eq!(shared.body(&branch), Asking::new(vendors, vendor).body(&branch), "{vendor}");
    }
    bodies.iter().for_each(assert_append_only);
}

// N6
#[test]
fn conversations_through_one_client_are_sent_as_each_alone_would_be() {
    let vendors = Vendors::builtin();
    let names: Vec<&str> = vendors.names().collect();
    assert!(names.len() > 10, "{names:?}");
    for vendor in names {
        check(&vendors, vendor);
    }
}
