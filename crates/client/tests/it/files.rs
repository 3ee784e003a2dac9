//! Files that the provider stores: upload, reference and deletion.

use std::sync::Arc;

use windlass_client::{Client, Endpoint, Options, Pace, Upload, Vendors};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{File, FileSource, Image, Message, Part, Request};
use windlass_stream::ModelErrorKind;
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::server::{KEY, Reply, Server, ask, quick, response, text};

fn json(status: u16, headers: &str, body: &str) -> Reply {
    Reply::Close(response(status, "application/json", headers, body))
}

fn client(base_url: &str, wire: impl Wire + 'static) -> Client {
    let endpoint = Endpoint::custom(base_url, wire.name());
    let options = Options { pace: Pace::Ignored, ..quick() };
    Client::new(endpoint, Some(KEY.into()), Arc::new(wire), options).unwrap()
}

fn report() -> Upload {
    Upload::new("%PDF-1.7 bytes", "application/pdf", "a \"b\"\r\n.pdf")
}

const STORED: &str = r#"{"id":"file-1","bytes":14,"expires_at":1767225600}"#;

#[tokio::test]
async fn openai_gets_a_form_with_the_purpose() {
    let server = Server::start(vec![json(200, "", STORED)]).await;
    let client = client(&server.base_url, OpenAiResponses::default());
    let file = client.upload(report()).await.unwrap();
    assert_eq!((file.id.as_str(), file.expires_at.as_deref()), ("file-1", Some("1767225600")));
    let Part::File(part) = file.to_part() else { panic!("not a file") };
    assert_eq!((part.source, part.media_type.as_str()), (FileSource::Id("file-1".into()), "application/pdf"));
    let request = server.requests().await.remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/files HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}")), "{head}");
    let boundary = head.split_once("multipart/form-data; boundary=").unwrap().1.lines().next().unwrap();
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a %22b%22%0D%0A.pdf\"\r\n\
         Content-Type: application/pdf\r\n\r\n%PDF-1.7 bytes\r\n--{boundary}--\r\n"
    );
    assert_eq!(body, expected);
}

#[tokio::test]
async fn anthropic_gets_a_form_without_fields_and_without_a_beta_header() {
    let server = Server::start(vec![json(200, "", r#"{"id":"file_1","expires_at":null}"#)]).await;
    let file = client(&server.base_url, Anthropic::default()).upload(report()).await.unwrap();
    assert_eq!((file.id.as_str(), file.expires_at), ("file_1", None));
    let request = server.requests().await.remove(0);
    assert!(request.starts_with("POST /v1/files HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("x-api-key: {KEY}\r\n")) && request.contains("anthropic-version: "));
    assert!(!request.contains("anthropic-beta") && !request.contains("purpose"), "{request}");
}

fn gemini_replies(root: &str, state: &str) -> Vec<Reply> {
    let uri = format!("{root}/v1beta/files/abc-1");
    let stored = |state: &str| format!(r#"{{"name":"files/abc-1","uri":"{uri}","state":"{state}"}}"#);
    vec![
        json(200, &format!("X-Goog-Upload-URL: {root}/upload/v1beta/files?upload_id=7\r\n"), ""),
        json(200, "", &format!(r#"{{"file":{}}}"#, stored("PROCESSING"))),
        json(200, "", &stored("PROCESSING")),
        json(200, "", &stored(state)),
        json(200, "", "{}"),
    ]
}

#[tokio::test]
async fn gemini_gets_two_requests_and_is_asked_until_the_file_is_ready() {
    let server = Server::start_with(|root| gemini_replies(root, "ACTIVE")).await;
    let base_url = server.base_url.replace("/v1", "/v1beta");
    let client = client(&base_url, Gemini::default());
    let file = client.upload(report()).await.unwrap();
    assert_eq!(file.id, format!("{base_url}/files/abc-1"));
    client.delete_file(&file.id).await.unwrap();
    let requests = server.requests().await;
    let lines: Vec<&str> = requests.iter().map(|request| request.lines().next().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "POST /upload/v1beta/files HTTP/1.1",
            "POST /upload/v1beta/files?upload_id=7 HTTP/1.1",
            "GET /v1beta/files/abc-1 HTTP/1.1",
            "GET /v1beta/files/abc-1 HTTP/1.1",
            "DELETE /v1beta/files/abc-1 HTTP/1.1",
        ]
    );
    for header in [
        "x-goog-upload-protocol: resumable",
        "x-goog-upload-command: start",
        "x-goog-upload-header-content-length: 14",
        "x-goog-upload-header-content-type: application/pdf",
    ] {
        assert!(requests[0].contains(header), "{header}: {}", requests[0]);
    }
    assert!(requests[0].ends_with(r#"{"file":{"display_name":"a \"b\"\r\n.pdf"}}"#), "{}", requests[0]);
    assert!(requests[1].contains("x-goog-upload-command: upload, finalize"), "{}", requests[1]);
    assert!(requests[1].ends_with("\r\n\r\n%PDF-1.7 bytes"), "{}", requests[1]);
    let has_key: Vec<bool> = requests.iter().map(|request| request.contains(KEY)).collect();
    assert_eq!(
        has_key,
        [true, false, true, true, true],
        "the address of an upload carries its own authorization"
    );
}

#[tokio::test]
async fn a_file_that_gemini_cannot_process_is_an_error() {
    let server = Server::start_with(|root| gemini_replies(root, "FAILED")).await;
    let client = client(&server.base_url.replace("/v1", "/v1beta"), Gemini::default());
    let error = client.upload(report()).await.unwrap_err();
    assert!(error.message.ends_with("could not be processed"), "{error}");
}

#[tokio::test]
async fn bytes_are_not_sent_to_another_host() {
    for address in ["X-Goog-Upload-URL: http://elsewhere.example/upload\r\n", "X-Goog-Upload-URL: x\r\n", ""]
    {
        let server = Server::start(vec![json(200, address, "")]).await;
        let client = client(&server.base_url, Gemini::default());
        let error = client.upload(report()).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Malformed, "{error}");
        assert_eq!(server.requests().await.len(), 1);
    }
}

#[tokio::test]
async fn an_upload_is_repeated_only_if_it_was_not_processed() {
    for (status, requests) in [(429, 2), (503, 2), (500, 1), (408, 1), (400, 1)] {
        let refused = json(status, "", r#"{"error":{"message":"no"}}"#);
        let server = Server::start(vec![refused, json(200, "", STORED)]).await;
        let uploaded = client(&server.base_url, OpenAiResponses::default()).upload(report()).await;
        assert_eq!(server.requests().await.len(), requests, "{status}");
        assert_eq!(uploaded.is_ok(), requests == 2, "{status}");
    }
}

#[tokio::test]
async fn a_deletion_is_repeated_and_may_find_its_own_work() {
    let gone = || json(404, "", r#"{"error":{"message":"no such file"}}"#);
    let broken = json(500, "", r#"{"error":{"message":"no"}}"#);
    let server = Server::start(vec![broken, gone()]).await;
    client(&server.base_url, OpenAiResponses::default()).delete_file("file-1").await.unwrap();
    assert!(server.requests().await[1].starts_with("DELETE /v1/files/file-1 HTTP/1.1\r\n"));
    let server = Server::start(vec![gone()]).await;
    let error = client(&server.base_url, OpenAiResponses::default()).delete_file("file-1").await.unwrap_err();
    assert!(error.message.contains("no such file"), "{error}");
}

#[tokio::test]
async fn uploads_that_cannot_succeed_send_nothing() {
    let server = Server::start(vec![json(200, "", STORED)]).await;
    let client = client(&server.base_url, OpenAiResponses::default());
    for (upload, words) in [
        (Upload::new("", "text/plain", "empty.txt"), "`empty.txt` is empty and cannot be uploaded"),
        (Upload::new("a", "text/plain\r\nx: y", "a.txt"), "is not a media type"),
        (Upload::new("a", "text", "a.txt"), "is not a media type"),
    ] {
        let error = client.upload(upload).await.unwrap_err();
        assert!(error.message.contains(words), "{error}");
    }
    for id in ["", "..", "a/..", "a?b", "a%2fb", "a b"] {
        let error = client.delete_file(id).await.unwrap_err();
        assert!(error.message.contains("is not the id of a file"), "{id}: {error}");
    }
    let vendors = Vendors::builtin();
    let groq = Client::vendor(vendors.get("groq").unwrap().clone()).key(Some(KEY.into())).build().unwrap();
    let error = groq.upload(report()).await.unwrap_err();
    assert_eq!(error.message, "api.groq.com: it has no API for files; send the bytes in the request");
    assert!(server.requests().await.is_empty());
}

#[tokio::test]
async fn an_error_of_an_upload_does_not_repeat_the_key() {
    let body = format!(r#"{{"error":{{"message":"the key {KEY} is not valid"}}}}"#);
    let server = Server::start(vec![json(401, "", &body)]).await;
    let error = client(&server.base_url, OpenAiResponses::default()).upload(report()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Configuration);
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    let server = Server::start(vec![json(200, "", "<html>")]).await;
    let error = client(&server.base_url, OpenAiResponses::default()).upload(report()).await.unwrap_err();
    assert!(error.message.ends_with("the response to an upload does not name the file"), "{error}");
}

#[tokio::test]
async fn a_request_refers_to_a_file_that_the_scripted_provider_stores() {
    let script = Script::parse(r#"{"turns": [{"steps": [{"text": "It is empty."}]}]}"#).unwrap();
    let wires: [Arc<dyn Wire>; 4] = [
        Arc::new(OpenAiResponses::default()),
        Arc::new(OpenAiChat::default()),
        Arc::new(Anthropic::default()),
        Arc::new(Gemini::default()),
    ];
    for wire in wires {
        let provider = ScriptedProvider::start(script.clone(), 0).await.unwrap();
        let endpoint = Endpoint::custom(provider.base_url(), wire.name());
        let client = Client::new(endpoint, Some(KEY.into()), wire, quick()).unwrap();
        let file = client.upload(report()).await.unwrap();
        assert_eq!(provider.list_files().len(), 1);
        let message = Message::user("read").with_part(file.to_part());
        let (chunks, failure) = ask(&client, &Request::new("scripted-1", vec![message])).await;
        assert!(failure.is_none(), "{failure:?}");
        assert_eq!(text(&chunks), "It is empty.");
        assert!(provider.requests()[0].body.to_string().contains(&file.id));
        client.delete_file(&file.id).await.unwrap();
        assert!(provider.list_files().is_empty());
        let error = client.delete_file(&file.id).await.unwrap_err();
        assert!(error.message.contains("the file does not exist"), "{error}");
    }
}

#[tokio::test]
async fn large_parts_of_a_message_are_replaced_by_their_ids() {
    let long = "AAAA".repeat(100);
    let message = || {
        Message::user("look")
            .with_part(Image::base64("image/png", long.clone()))
            .with_part(File::base64("application/pdf", long.clone()))
            .with_part(File::base64("application/pdf", "AAAA"))
    };
    let ids = |message: &Message| -> Vec<bool> {
        let is_id =
            |part: &Part| matches!(part, Part::File(file) if matches!(file.source, FileSource::Id(_)));
        message.parts.iter().map(is_id).collect()
    };
    let server = Server::start(vec![json(200, "", STORED)]).await;
    let client_of = |wire: Arc<dyn Wire>| {
        let endpoint = Endpoint::custom(&server.base_url, wire.name());
        Client::new(endpoint, Some(KEY.into()), wire, quick()).unwrap()
    };
    let responses = client_of(Arc::new(OpenAiResponses::default()));
    let replaced = responses.upload_parts(message(), 300).await.unwrap();
    assert_eq!(ids(&replaced), [false, true, true, false]);
    // Chat Completions cannot refer to a stored picture.
    let chat = client_of(Arc::new(OpenAiChat::default()));
    assert_eq!(ids(&chat.upload_parts(message(), 300).await.unwrap()), [false, false, true, false]);
    assert_eq!(server.requests().await.len(), 3);
}
