//! Bodies of clients that are damaged at random, in every format.

use proptest::prelude::*;
use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, ToolCall, ToolName, ToolResult,
};
use windlass_vendors::WireFormat;
use windlass_wire::kit::check_client_body;

fn conversation() -> Request {
    let (id, name) = (CallId::new("call_1").unwrap(), ToolName::new("read").unwrap());
    let call = ToolCall::function(id.clone(), name, Arguments::parse(r#"{"path":"ä"}"#).unwrap());
    let result = ToolResult::text(id, ResultStatus::Ok, "It is empty.");
    let messages = vec![
        Message::user("Read a."),
        Message::assistant(vec![Part::text("I look: ü."), Part::Call(call)]),
        Message::results(vec![result]),
        Message::user("And now?"),
    ];
    Request::new("model-1", messages).with_system("Be short.").with_max_output_tokens(100)
}

/// Returns bytes that replace a piece of a body.
fn inserted() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<Vec<u8>>(),
        "[\\[\\]{}:,\"a-e0-9 ]{0,12}".prop_map(String::into_bytes),
        Just(br#","model":"other""#.to_vec()),
        Just(br#""stream":true,"#.to_vec()),
        Just(br"\ud800".to_vec()),
        Just("\u{feff}".as_bytes().to_vec()),
    ]
}

proptest! {
    #[test]
    fn no_body_of_a_client_panics_or_disagrees_with_its_outline(
        at in 0_usize..2_000,
        length in 0_usize..20,
        inserted in inserted(),
    ) {
        for format in WireFormat::all() {
            let server = format.server.as_ref();
            let http = format.wire.encode(&conversation()).unwrap();
            let mut body = http.body.to_vec();
            let start = at % body.len();
            body.splice(start..(start + length).min(body.len()), inserted.iter().copied());
            check_client_body(server, &http.path, &body).unwrap();
            check_client_body(server, server.request_path(), &inserted).unwrap();
        }
    }
}
