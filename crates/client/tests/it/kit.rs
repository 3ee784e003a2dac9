//! The conformance kits: the client passes the kit for models, and the kit for transports accepts the HTTP transport and
//! rejects a wrong one for each rule.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use windlass_client::kit::{TransportRule, check_transport};
use windlass_client::{
    ByteStream, Fallback, HttpOptions, HttpTransport, StoredCacheModel, Transport, TransportError,
    TransportErrorKind, TransportFuture, TransportRequest, TransportResponse,
};
use windlass_stream::kit::check_model;

use crate::caches::{answer, creation_reply, gemini};
use crate::server::{Server, error, hello, quick, request, text};

#[tokio::test]
async fn the_client_conforms() {
    let server = Server::start(vec![hello()]).await;
    let client = server.client(quick());
    assert_eq!(text(&check_model(&client, &request()).await.unwrap()), "Hello");
}

#[tokio::test]
async fn a_fallback_conforms_on_each_of_its_models() {
    let busy = Server::start(vec![error(
        404,
        "",
        r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
    )])
    .await;
    let server = Server::start(vec![hello()]).await;
    for first in [&server, &busy] {
        let model = Fallback::new(Arc::new(first.client(quick())), "first")
            .or(Arc::new(server.client(quick())), "second");
        assert_eq!(text(&check_model(&model, &request()).await.unwrap()), "Hello");
    }
}

#[tokio::test]
async fn the_model_with_a_stored_cache_conforms() {
    for has_cache in [true, false] {
        let refusal = r#"{"error":{"code":400,"message":"too short","status":"INVALID_ARGUMENT"}}"#;
        let first = if has_cache { creation_reply(1) } else { error(400, "", refusal) };
        let server = Server::start(vec![first, answer()]).await;
        let model = StoredCacheModel::new(gemini(&server), Duration::from_hours(1));
        let request = request().with_system("Be kind.");
        assert_eq!(text(&check_model(&model, &request).await.unwrap()), "hi", "{has_cache}");
        assert_eq!(model.cache().await.is_some(), has_cache);
    }
}

#[tokio::test]
async fn the_http_transport_conforms() {
    check_transport(&http()).await.unwrap();
}

fn http() -> HttpTransport {
    HttpTransport::new(&HttpOptions::default()).unwrap()
}

/// A deviation of the HTTP transport.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    PostsOnly,
    DropsTheQuery,
    DropsHeaders,
    CutsTheBody,
    NamesOtherKinds,
    QuotesItsHeaders,
    FailsForStatuses,
    Retries,
    DropsResponseHeaders,
    Redirects,
    ReturnsText,
    Collects,
    EndsQuietly,
    NeverCloses,
}

const WRONG: [(TransportRule, Defect); 14] = [
    (TransportRule::SendsTheMethod, Defect::PostsOnly),
    (TransportRule::SendsTheTarget, Defect::DropsTheQuery),
    (TransportRule::SendsHeaders, Defect::DropsHeaders),
    (TransportRule::SendsTheBody, Defect::CutsTheBody),
    (TransportRule::ReportsUnreachable, Defect::NamesOtherKinds),
    (TransportRule::HidesSecrets, Defect::QuotesItsHeaders),
    (TransportRule::ReturnsEveryStatus, Defect::FailsForStatuses),
    (TransportRule::SendsOnce, Defect::Retries),
    (TransportRule::ReturnsHeaders, Defect::DropsResponseHeaders),
    (TransportRule::FollowsNoRedirect, Defect::Redirects),
    (TransportRule::ReturnsTheBody, Defect::ReturnsText),
    (TransportRule::StreamsTheBody, Defect::Collects),
    (TransportRule::ReportsBrokenBodies, Defect::EndsQuietly),
    (TransportRule::ClosesWhenDropped, Defect::NeverCloses),
];

#[tokio::test]
async fn a_wrong_transport_is_rejected_for_each_rule() {
    // The two defects that the kit can only notice by waiting are checked at the same time.
    let checks = WRONG.map(|(rule, defect)| async move {
        let violation = check_transport(&Wrong { inner: http(), defect }).await.unwrap_err();
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    });
    futures_util::future::join_all(checks).await;
    assert_eq!(WRONG.map(|(rule, _)| rule), TransportRule::ALL);
}

struct Wrong {
    inner: HttpTransport,
    defect: Defect,
}

impl Transport for Wrong {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        Box::pin(self.exchange(request))
    }
}

impl Wrong {
    async fn exchange(&self, mut request: TransportRequest) -> Result<TransportResponse, TransportError> {
        match self.defect {
            Defect::PostsOnly => request.method = windlass_client::Method::Post,
            Defect::DropsTheQuery => request.url = request.url.split('?').next().unwrap().to_owned(),
            Defect::DropsHeaders => request.headers.clear(),
            Defect::CutsTheBody => request.body = request.body.slice(..request.body.len().min(1000)),
            _ => {}
        }
        let again = request.clone();
        let secret = request.headers.iter().map(|header| header.value.clone()).collect::<String>();
        let sent = self.inner.send(request).await;
        let response = match (self.defect, sent) {
            (Defect::NamesOtherKinds, Err(error)) => {
                return Err(TransportError::new(TransportErrorKind::Broken, error.message));
            }
            (Defect::QuotesItsHeaders, Err(error)) => return Err(TransportError::new(error.kind, secret)),
            (_, sent) => sent?,
        };
        let TransportResponse { status, .. } = response;
        match self.defect {
            Defect::FailsForStatuses if status >= 400 => {
                Err(TransportError::new(TransportErrorKind::Broken, format!("status {status}")))
            }
            Defect::Retries if status == 503 => self.inner.send(again).await,
            Defect::Redirects if status == 307 => {
                let mut next = again;
                next.url = response.header("location").unwrap().to_owned();
                self.inner.send(next).await
            }
            _ => Ok(self.damage(response).await),
        }
    }

    async fn damage(&self, mut response: TransportResponse) -> TransportResponse {
        match self.defect {
            Defect::DropsResponseHeaders => response.headers.clear(),
            Defect::ReturnsText => {
                let to_text = |piece: Bytes| Bytes::from(String::from_utf8_lossy(&piece).into_owned());
                response.body = Box::pin(response.body.map(move |piece| piece.map(to_text)));
            }
            Defect::Collects => {
                let pieces: Vec<_> = response.body.collect().await;
                response.body = Box::pin(stream::iter(pieces));
            }
            Defect::EndsQuietly => {
                response.body = Box::pin(response.body.take_while(|piece| std::future::ready(piece.is_ok())));
            }
            Defect::NeverCloses => {
                let mut body: ManuallyDrop<ByteStream> = ManuallyDrop::new(response.body);
                response.body =
                    Box::pin(stream::poll_fn(move |cx| futures_util::Stream::poll_next(body.as_mut(), cx)));
            }
            _ => {}
        }
        response
    }
}
