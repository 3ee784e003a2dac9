//! Exchanges within one format, which are forwarded instead of translated.

use futures_util::TryStreamExt as _;
use windlass_protocol::{Part, Payload, ToolSpec};
use windlass_wire::{DecodedRequest, Framing, Outline, Server};

use crate::answer::GatewayResponse;
use crate::gateway::Gateway;
use crate::hook::Observer;
use crate::passthrough::{ForwardBody, StreamBreaker, relay_request, tee};
use crate::recorder::EndObserver;
use crate::relay::{Relay, RelayBody, RelayRequest, RelayResponse};
use crate::response::{refuse, refuse_while_stopping, split_content_type};
use crate::stop::{Phase, Stop, StopSignal};
use crate::upstream::Upstream;
use crate::usage_reader::CountedBody;
use crate::{ClientRequest, headers, refusal};

impl Gateway {
    /// Returns the outline of a request that can be forwarded without decoding it. `known` is its outline if the caller
    /// has read it.
    pub(crate) fn outline_to_forward(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
        known: Option<Outline>,
    ) -> Option<Outline> {
        let relay = self.upstream.relay.as_ref()?;
        let outline = match known {
            Some(known) => (server.name() == self.upstream.wire.name()).then_some(known)?,
            None => self.outline(server, request)?,
        };
        let model = self.upstream.name.as_deref().unwrap_or(&outline.model);
        let takes_all = !self.upstream.wire.takes_free_text() || relay.takes_free_text(model) != Some(false);
        (takes_all && self.hooks.is_empty()).then_some(outline)
    }

    /// Returns the outline of a request in the upstream's own format.
    pub(crate) fn outline(&self, server: &dyn Server, request: &ClientRequest) -> Option<Outline> {
        let is_own = self.upstream.relay.is_some() && server.name() == self.upstream.wire.name();
        is_own.then(|| server.outline(&request.path, &request.body).ok())?
    }

    /// Returns true if a decoded request can be forwarded as it is.
    pub(crate) fn is_unchanged(&self, server: &dyn Server, asked: &DecodedRequest) -> bool {
        let Some(relay) = &self.upstream.relay else { return false };
        let model = self.upstream.name.as_deref().unwrap_or(&asked.request.model);
        let has_free_text = has_free_text(&asked.request);
        // The chunks of an array cannot be shown to observers while it arrives.
        let is_visible = self.hooks.is_empty() || asked.framing != Framing::Array;
        server.name() == self.upstream.wire.name()
            && is_visible
            && (!has_free_text || relay.takes_free_text(model) != Some(false))
    }

    /// Forwards a request and its answer byte for byte where nothing has to change.
    pub(crate) async fn forward(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
        outline: Outline,
        mut observers: Vec<Box<dyn Observer>>,
        stop: Stop,
    ) -> GatewayResponse {
        let Upstream { wire, relay: Some(relay), name, .. } = &self.upstream else {
            return refuse(server, &refusal::invalid_request("the upstream has no relay"));
        };
        let addresses = self.addresses.as_ref();
        let sent = match relay_request(request, server, wire.as_ref(), &outline, name.as_deref(), addresses) {
            Ok(sent) => sent,
            Err(error) => return refuse(server, &refusal::invalid_request(error.to_string())),
        };
        if let Some(recorder) = &self.recorder {
            let model = name.as_deref().unwrap_or(&outline.model);
            recorder.begin(&self.upstream.label, self.upstream.prices(model));
            if recorder.finds_end() {
                observers.push(Box::new(EndObserver(recorder.clone())));
            }
        }
        let mut stop = stop.into_signal(Phase::Ending);
        let response = match send(relay.as_ref(), server, sent, &mut stop).await {
            Ok(response) => response,
            Err(refusal) => return *refusal,
        };
        let framing = if response.status == 200 { outline.framing } else { Framing::Whole };
        let tee = if response.status == 200 { tee(observers, wire, framing) } else { None };
        let mut headers = response.headers;
        headers::retain_headers(server, &mut headers);
        let format = self.servers.iter().find(|format| format.name() == server.name()).cloned();
        let breaker = StreamBreaker { format, framing, model: outline.model };
        let (content_type, headers) = split_content_type(headers, || breaker.content_type());
        let body = self.count_usage(response.body, response.status, framing);
        let body = Box::pin(ForwardBody::new(body, tee, breaker, stop));
        GatewayResponse { status: response.status, content_type, headers, body }
    }

    /// Reads the usage beside a body, for the recorder.
    pub(crate) fn count_usage(&self, body: RelayBody, status: u16, framing: Framing) -> RelayBody {
        match &self.recorder {
            Some(recorder) if status == 200 => {
                Box::pin(CountedBody::new(body, self.upstream.wire.clone(), framing, recorder.clone()))
            }
            _ => body,
        }
    }
}

/// Sends a request to the provider.
///
/// # Errors
/// The refusal for the client, if the provider cannot be reached or the server ends its responses first.
pub(crate) async fn send(
    relay: &dyn Relay,
    server: &dyn Server,
    request: RelayRequest,
    stop: &mut StopSignal,
) -> Result<RelayResponse, Box<GatewayResponse>> {
    let response = tokio::select! {
        biased;
        response = relay.forward(request) => response,
        () = stop.begin() => return Err(Box::new(refuse_while_stopping(server))),
    };
    response.map_err(|error| Box::new(refuse(server, &refusal::from_model_error(&error))))
}

/// Returns a whole answer of the provider as it is. `count` counts the body's usage beside it, by its status.
pub(crate) fn pass_whole(
    server: &dyn Server,
    response: RelayResponse,
    count: impl FnOnce(RelayBody, u16) -> RelayBody,
) -> GatewayResponse {
    let RelayResponse { status, mut headers, body } = response;
    headers::retain_headers(server, &mut headers);
    let (content_type, headers) = split_content_type(headers, || "application/json");
    let body = Box::pin(count(body, status).map_err(std::io::Error::other));
    GatewayResponse { status, content_type, headers, body }
}

/// Returns true if a request has a free-text tool or a call of one.
fn has_free_text(request: &windlass_protocol::Request) -> bool {
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    request.tools.iter().any(|tool| matches!(tool, ToolSpec::Freeform { .. }))
        || parts
            .any(|part| matches!(part, Part::Call(call) if !matches!(call.payload, Payload::Function { .. })))
}
