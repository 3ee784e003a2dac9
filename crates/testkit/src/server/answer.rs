//! An answer of the scripted provider: the turn's bytes at the turn's pace, or one of the ways to misbehave.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use futures_util::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::Response;
use hyper::body::{Bytes, Frame};
use serde_json::Value;

use crate::render::Dialect;
use crate::script::{Hostile, Switch, Turn};

pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// What comes after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Clean,
    Cut,
    Stall,
}

pub(super) fn answer(
    dialect: Dialect,
    turn: &Turn,
    number: usize,
    time: u32,
    is_stream: bool,
) -> Response<Body> {
    let hostile = turn.hostile.as_ref().filter(|hostile| hostile.times.is_none_or(|times| time < times));
    if let Some(response) = hostile.and_then(|hostile| refused(dialect, hostile)) {
        return response;
    }
    if !is_stream {
        return json(200, &dialect.whole(turn, number));
    }
    let frames = dialect.frames(turn, number);
    let delay = Duration::from_millis(turn.delay_ms);
    let (frames, ending) = match hostile {
        None => (frames, Ending::Clean),
        Some(hostile) => broken(dialect, frames, hostile),
    };
    respond(200, "text/event-stream", paced(frames, delay, ending))
}

/// The ways to misbehave that need no stream.
fn refused(dialect: Dialect, hostile: &Hostile) -> Option<Response<Body>> {
    match hostile.switch {
        Switch::Status => {
            let status = hostile.status.unwrap_or(500);
            let body = dialect.refusal(status, kind_of(status), "the script refuses this request");
            let mut response = json(status, &body);
            if let Some(seconds) = hostile.retry_after {
                response.headers_mut().insert("retry-after", seconds.into());
            }
            Some(response)
        }
        Switch::Html => Some(respond(200, "text/html", full("<!doctype html><h1>not the provider</h1>"))),
        Switch::Empty => Some(respond(200, "text/event-stream", full(""))),
        Switch::NotJson => Some(respond(200, "application/json", full("this is not JSON"))),
        Switch::Cut | Switch::Stall | Switch::ErrorMidStream | Switch::OneByte => None,
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// The ways to misbehave inside a stream.
fn broken(dialect: Dialect, mut frames: Vec<Vec<u8>>, hostile: &Hostile) -> (Vec<Vec<u8>>, Ending) {
    match hostile.switch {
        Switch::Cut => (first_bytes(&frames, hostile.after_bytes), Ending::Cut),
        Switch::Stall => (first_bytes(&frames, hostile.after_bytes), Ending::Stall),
        Switch::ErrorMidStream => {
            frames.truncate(frames.len() / 2);
            frames.push(dialect.error_frame());
            (frames, Ending::Clean)
        }
        Switch::OneByte => (frames.concat().into_iter().map(|byte| vec![byte]).collect(), Ending::Clean),
        Switch::Status | Switch::Html | Switch::Empty | Switch::NotJson => (frames, Ending::Clean),
    }
}

fn first_bytes(frames: &[Vec<u8>], count: usize) -> Vec<Vec<u8>> {
    let mut bytes = frames.concat();
    bytes.truncate(count);
    if bytes.is_empty() { Vec::new() } else { vec![bytes] }
}

/// A body that comes piece by piece.
fn paced(frames: Vec<Vec<u8>>, delay: Duration, ending: Ending) -> Body {
    let pieces = stream::unfold((frames.into_iter(), ending), move |(mut frames, ending)| async move {
        if let Some(frame) = frames.next() {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            return Some((Ok(Frame::data(Bytes::from(frame))), (frames, ending)));
        }
        match ending {
            Ending::Clean => None,
            Ending::Cut => {
                // A moment for what was written to leave, then the connection breaks in mid-body.
                tokio::time::sleep(Duration::from_millis(5)).await;
                Some((Err(io::Error::other("cut by the script")), (frames, Ending::Clean)))
            }
            Ending::Stall => std::future::pending().await,
        }
    });
    BodyExt::boxed_unsync(StreamBody::new(pieces))
}

fn full(text: &str) -> Body {
    Full::new(Bytes::from(text.to_owned())).map_err(|never: Infallible| match never {}).boxed_unsync()
}

pub(super) fn json(status: u16, body: &Value) -> Response<Body> {
    respond(status, "application/json", full(&body.to_string()))
}

fn respond(status: u16, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() =
        hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert("content-type", hyper::header::HeaderValue::from_static(content_type));
    response.headers_mut().insert("x-request-id", hyper::header::HeaderValue::from_static("req_scripted"));
    response
}
