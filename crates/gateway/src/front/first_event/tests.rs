//! Error events of the four formats.

use super::{FallbackReason, find_event, read_failure};

fn read(stream: &str) -> Option<FallbackReason> {
    read_failure(&find_event(stream.as_bytes()).expect("a whole event"))
}

#[test]
fn error_events_of_each_format_have_a_reason() {
    for (stream, reason) in [
        (
            "data: {\"error\":{\"message\":\"x\",\"type\":\"server_error\",\"code\":null}}\n\n",
            Some(FallbackReason::Failure),
        ),
        (
            "data: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}\r\n\r\n",
            Some(FallbackReason::RateLimit),
        ),
        (
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
            Some(FallbackReason::Failure),
        ),
        (
            "event: error\ndata: {\"type\":\"error\",\"code\":\"insufficient_quota\",\"message\":\"x\"}\n\n",
            Some(FallbackReason::Quota),
        ),
        (
            "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"rate_limit_exceeded\"}}}\n\n",
            Some(FallbackReason::RateLimit),
        ),
        // Each upstream would refuse this request.
        ("data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"}}\n\n", None),
        ("data: {\"id\":\"c\",\"choices\":[],\"error\":null}\n\n", None),
        ("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n", None),
        (": keep-alive\n\n", None),
        ("data: [DONE]\n\n", None),
    ] {
        assert_eq!(read(stream), reason, "{stream}");
    }
    assert!(find_event(b"data: {\"error\":{").is_none());
}
