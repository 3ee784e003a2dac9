//! The feed of a session as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::watch;
use windlass_app::feed::FeedEvent;
use windlass_app::sessions::FeedStream;

use super::error::ApiError;
use super::extract::Parameters;
use crate::Device;
use crate::access::wait_for_revocation;
use crate::connections::wait_for_stop;
use crate::state::{ReaderPlace, Shared};

/// Time after which a comment is sent, so that proxies and browsers notice a broken connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The parameters of a feed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FeedParameters {
    after: Option<u64>,
}

/// An open feed with its place among the readers.
struct OpenFeed {
    feed: FeedStream,
    stopping: watch::Receiver<bool>,
    /// Completes when the device of the reader is revoked. A check that has begun must not be dropped.
    revocation: Pin<Box<dyn Future<Output = ()> + Send>>,
    _place: ReaderPlace,
}

/// Returns the events of a session after a number: first from the records, then live. A browser that reconnects
/// sends the number in the header `Last-Event-ID`. The feed ends when its device is revoked.
pub(super) async fn feed(
    State(shared): State<Arc<Shared>>,
    Extension(device): Extension<Device>,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<FeedParameters>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let busy = || ApiError::too_many("too many open feeds", Duration::from_secs(5));
    let place = shared.take_place().ok_or_else(busy)?;
    let feed = shared.host.watch(&id, last.or(parameters.after)).await?;
    let stopping = shared.stopping.clone();
    let revocation = Box::pin(wait_for_revocation(shared, device.id));
    let open = OpenFeed { feed, stopping, revocation, _place: place };
    let events = stream::unfold(open, |mut open| async move {
        let event = tokio::select! {
            event = open.feed.next() => event,
            () = wait_for_stop(&mut open.stopping) => return None,
            () = open.revocation.as_mut() => return None,
        };
        // An error of the records ends the feed; the browser reconnects with its number.
        let event = to_sse(&event.ok()?)?;
        Some((Ok(event), open))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Returns an event in the form of server-sent events. Only numbered events have an id, so a browser that reconnects
/// gets the texts that arrived in part.
fn to_sse(event: &FeedEvent) -> Option<Event> {
    let sse = Event::default().json_data(event).ok()?;
    Some(if event.kind.is_numbered() { sse.id(event.seq.to_string()) } else { sse })
}
