//! Pictures and documents: the check of a request and its encoding agree in each wire format.

use windlass_protocol::{
    Arguments, CallId, File, Image, Message, Part, RefusalKind, Request, ResultStatus, Role, ToolCall,
    ToolName, ToolResult,
};
use windlass_vendors::WireFormat;

/// The content of each part: base64 of `Marker`, also used as the last segment of a URL and as the id of an upload.
const MARKER: &str = "TWFya2Vy";

const MEDIA_TYPES: [&str; 17] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/heic",
    "image/svg+xml",
    "application/pdf",
    "text/plain",
    "text/csv",
    "application/json",
    "application/zip",
    "audio/wav",
    "audio/mpeg",
    "audio/ogg",
    "video/mp4",
    "",
];

/// Returns the part with this media type for each kind and source.
fn parts(media_type: &str) -> [(&'static str, Part); 5] {
    let url = format!("https://example.org/{MARKER}");
    [
        ("picture, bytes", Image::base64(media_type, MARKER).into()),
        ("picture, URL", Image::url(media_type, url.as_str()).into()),
        ("document, bytes", File::base64(media_type, MARKER).into()),
        ("document, URL", File::url(media_type, url.as_str()).into()),
        ("document, upload", File::from_upload(media_type, MARKER).into()),
    ]
}

/// Returns a conversation with the part in a message of each role, and of the developer before all others.
fn conversations(part: &Part) -> [(&'static str, Vec<Message>); 5] {
    let with_part = |role| Message::new(role, vec![Part::text("look"), part.clone()]);
    let answer = || Message::assistant(vec![Part::text("yes")]);
    let id = CallId::new("call_1").unwrap();
    let call =
        ToolCall::function(id.clone(), ToolName::new("look").unwrap(), Arguments::parse("{}").unwrap());
    let results = Message::results([ToolResult::text(id, ResultStatus::Ok, "seen")]);
    [
        ("user", vec![with_part(Role::User)]),
        ("developer, first", vec![with_part(Role::System), Message::user("one")]),
        ("developer", vec![Message::user("one"), answer(), with_part(Role::System), Message::user("two")]),
        ("assistant", vec![Message::user("one"), with_part(Role::Assistant), Message::user("two")]),
        (
            "results",
            vec![
                Message::user("one"),
                Message::assistant(vec![Part::Call(call)]),
                results.with_part(part.clone()),
            ],
        ),
    ]
}

// A part that the check accepts is in the body, and a part that it refuses is not encoded.
#[test]
fn the_check_of_a_picture_or_document_agrees_with_its_encoding() {
    let mut faults = Vec::new();
    let mut refused = 0;
    for format in WireFormat::all() {
        for media_type in MEDIA_TYPES {
            for (kind, part) in parts(media_type) {
                for (role, messages) in conversations(&part) {
                    let request = Request::new("model", messages);
                    let mut problems = format.wire.check(&request);
                    // The check of the conversation requires that results are alone in a message. A gateway sends a
                    // further part after them.
                    problems.retain(|problem| problem.kind != RefusalKind::Order);
                    let place = format!("{}: {kind} of {media_type:?}, {role}", format.name());
                    match format.wire.encode(&request) {
                        Ok(_) if !problems.is_empty() => {
                            faults.push(format!("{place} is sent: {problems:?}"));
                        }
                        Ok(http) => {
                            let body = String::from_utf8_lossy(&http.body).into_owned();
                            // Anthropic's format has the text of a document in place of its bytes.
                            if !body.contains(MARKER) && !body.contains("Marker") {
                                faults.push(format!("{place} is dropped"));
                            }
                        }
                        Err(error) if problems.is_empty() => {
                            faults.push(format!("{place} is accepted: {error}"));
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(refused > 0, "no part is refused");
}

// The upload of a picture was sent as a document.
#[test]
fn the_refusal_of_a_part_names_it_before_the_request_is_sent() {
    let upload = Part::from(File::from_upload("image/png", MARKER));
    let request = Request::new("gpt-5.1", vec![Message::user("look").with_part(upload)]);
    let chat = WireFormat::all().iter().find(|format| format.name() == "openai-chat").unwrap();
    let error = chat.wire.encode(&request).unwrap_err().to_string();
    assert!(error.contains("an upload of a picture; its bytes or its URL are taken"), "{error}");
}
