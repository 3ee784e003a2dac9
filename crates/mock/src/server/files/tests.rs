//! Tests of the files of the scripted provider.

use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName};

use super::{FileRequest, StoredFiles};

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
}

fn status(files: &StoredFiles, request: &FileRequest, headers: &HeaderMap, body: &str) -> u16 {
    files.answer("http://a.example", request, headers, body.as_bytes()).status.as_u16()
}

#[test]
fn paths_lead_to_requests() {
    let parse = |method, path: &str, query: Option<&str>| FileRequest::parse(&method, path, query);
    for path in ["/files", "/v1/files", "/v1beta/files"] {
        assert_eq!(parse(Method::POST, path, None), Some(FileRequest::Form));
        let id = format!("{path}/a");
        assert_eq!(parse(Method::GET, &id, None), Some(FileRequest::State("a".into())));
        assert_eq!(parse(Method::DELETE, &id, None), Some(FileRequest::Removal("a".into())));
    }
    let upload = |query| parse(Method::POST, "/upload/v1beta/files", query);
    assert_eq!(upload(None), Some(FileRequest::Resumable { has_bytes: false }));
    assert_eq!(upload(Some("upload_id=1")), Some(FileRequest::Resumable { has_bytes: true }));
    for (method, path) in
        [(Method::GET, "/v1/files"), (Method::POST, "/v1/filesystem"), (Method::POST, "/v1/messages")]
    {
        assert_eq!(parse(method, path, None), None, "{path}");
    }
}

#[test]
fn incomplete_uploads_are_refused() {
    let files = StoredFiles::default();
    let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n";
    let openai = headers(&[("content-type", "multipart/form-data; boundary=b")]);
    let mut anthropic = openai.clone();
    anthropic.insert("anthropic-version", "2023-06-01".parse().unwrap());
    assert_eq!(status(&files, &FileRequest::Form, &openai, form), 400, "no purpose");
    assert_eq!(status(&files, &FileRequest::Form, &anthropic, form), 200);
    assert_eq!(status(&files, &FileRequest::Form, &anthropic, "--b--"), 400, "no file");
    assert_eq!(status(&files, &FileRequest::Form, &anthropic, &form.replace("--b--", "")), 400);
    anthropic.remove(CONTENT_TYPE);
    assert_eq!(status(&files, &FileRequest::Form, &anthropic, form), 400);
    let start = FileRequest::Resumable { has_bytes: false };
    assert_eq!(status(&files, &start, &headers(&[("x-goog-upload-protocol", "resumable")]), "{}"), 400);
    let bytes = FileRequest::Resumable { has_bytes: true };
    assert_eq!(status(&files, &bytes, &HeaderMap::new(), ""), 400);
    assert_eq!(files.list().len(), 1);
    assert_eq!(status(&files, &FileRequest::State("other".into()), &HeaderMap::new(), ""), 404);
    assert_eq!(status(&files, &FileRequest::Removal("file-scripted-1".into()), &HeaderMap::new(), ""), 200);
    assert_eq!(status(&files, &FileRequest::Removal("file-scripted-1".into()), &HeaderMap::new(), ""), 404);
}
