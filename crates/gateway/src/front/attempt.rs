//! One attempt of a request at a gateway of a chain, and its span.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, stream};

use super::cool_downs::FallbackReason;
use super::log::CLOSED_BY_CLIENT;
use super::tracer::{RequestSpan, replace_parent};
use crate::{ClientRequest, Gateway, GatewayResponse, ResponseBody};

/// An attempt of a request at one gateway of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The number of the attempt, from 1.
    pub number: usize,
    /// The label of the upstream.
    pub upstream: String,
    /// The model's name at the upstream.
    pub model: String,
    /// The status of the answer, or 499 if the client left before one.
    pub status: u16,
    /// The reason why the answer is not the client's, if it is not. The last attempt of a request has a reason, too, if its
    /// answer is a failure.
    pub fallback: Option<FallbackReason>,
    /// True if the whole answer of this attempt was read.
    pub is_complete: bool,
}

/// The span of an attempt.
pub trait AttemptSpan: Send + Sync {
    /// Returns the header `traceparent` that the upstream receives, or `None` for that of the request.
    fn trace_parent(&self) -> Option<String>;

    /// Ends the span. It is called once: when the next attempt begins, or when the answer has ended or was cut.
    fn end(self: Box<Self>, attempt: &Attempt);
}

/// An attempt whose span has not ended. Dropping it ends the span.
pub(super) struct OpenAttempt {
    span: Option<Box<dyn AttemptSpan>>,
    attempt: Attempt,
}

impl OpenAttempt {
    /// Begins the span of an attempt.
    pub(super) fn begin(
        span: Option<&dyn RequestSpan>,
        number: usize,
        gateway: &Gateway,
        model: &str,
    ) -> Self {
        let attempt = Attempt {
            number,
            upstream: gateway.upstream.label.clone(),
            model: gateway.upstream.name.as_deref().unwrap_or(model).to_owned(),
            status: CLOSED_BY_CLIENT,
            fallback: None,
            is_complete: false,
        };
        Self { span: span.and_then(|span| span.begin_attempt(&attempt)), attempt }
    }

    /// Returns the request with the `traceparent` of the attempt.
    pub(super) fn trace(&self, request: ClientRequest) -> ClientRequest {
        replace_parent(request, self.span.as_ref().and_then(|span| span.trace_parent()))
    }

    /// Records the answer, and ends the span with the answer's last byte, or now if another gateway gets the request.
    pub(super) fn observe(
        mut self,
        mut answer: GatewayResponse,
        fallback: Option<FallbackReason>,
    ) -> GatewayResponse {
        self.attempt.status = answer.status;
        self.attempt.fallback = fallback;
        if self.span.is_some() && fallback.is_none() {
            let body = std::mem::replace(&mut answer.body, Box::pin(stream::empty()));
            answer.body = Box::pin(AttemptBody { body, open: self });
        }
        answer
    }
}

impl Drop for OpenAttempt {
    fn drop(&mut self) {
        if let Some(span) = self.span.take() {
            span.end(&self.attempt);
        }
    }
}

/// A body whose end is that of its attempt.
struct AttemptBody {
    body: ResponseBody,
    open: OpenAttempt,
}

impl Stream for AttemptBody {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.as_mut().poll_next(cx));
        self.open.attempt.is_complete = next.is_none();
        Poll::Ready(next)
    }
}
