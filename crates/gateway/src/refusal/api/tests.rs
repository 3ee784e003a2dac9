//! Tests of the API of a request.

use super::Api;
use crate::ClientRequest;

#[test]
fn the_api_is_that_of_the_path_or_of_the_version_in_the_headers() {
    let by_path = [
        ("/v1/responses/compact", Api::OpenAi),
        ("/v1/files", Api::OpenAi),
        ("/files", Api::OpenAi),
        ("/v1/threads/thread_1/messages", Api::OpenAi),
        ("/v1/chat/completions/c/messages", Api::OpenAi),
        ("/v1/models/ft:gpt-4o:org::id", Api::OpenAi),
        ("/v1/messages/batches", Api::Anthropic),
        ("/v1/v1/messages/batches", Api::Anthropic),
        ("/anthropic/v1/messages/batches", Api::Anthropic),
        ("/messages/count_tokens?beta=true", Api::Anthropic),
        ("/v1/complete", Api::Anthropic),
        ("/v1beta/cachedContents", Api::Gemini),
        ("/upload/v1beta/files", Api::Gemini),
        ("/v1alpha/auth_tokens", Api::Gemini),
        ("/", Api::OpenAi),
    ];
    for (path, api) in by_path {
        assert_eq!(Api::find(&ClientRequest::new(path, "")), api, "{path}");
    }
    let shared = |name: &str| Api::find(&ClientRequest::new("/v1/files", "").with_header(name, "2023-06-01"));
    assert_eq!((shared("anthropic-version"), shared("x-goog-api-key")), (Api::Anthropic, Api::Gemini));
}
