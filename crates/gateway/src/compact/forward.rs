//! The forwarding of requests for a compaction and of their answers.

use windlass_wire::{Framing, Outline, ProviderError, ProviderErrorKind, Server};

use crate::forward::{pass_whole, send};
use crate::gateway::Gateway;
use crate::passthrough::relay_request;
use crate::response::refuse;
use crate::stop::{Phase, Stop};
use crate::upstream::Upstream;
use crate::{ClientRequest, GatewayResponse, refusal};

impl Gateway {
    /// Forwards a request for a compaction to an upstream of the same format, and refuses it for other upstreams.
    /// `outline` is that of the request if the caller has read it.
    pub(crate) async fn compact(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
        outline: Option<Outline>,
        stop: Stop,
    ) -> GatewayResponse {
        let outline = match outline.map_or_else(|| super::outline(server, request), Ok) {
            Ok(outline) => outline,
            Err(error) => return refuse(server, &refusal::invalid_request(error.to_string())),
        };
        let Upstream { wire, relay: Some(relay), name, .. } = &self.upstream else {
            return refuse(server, &not_offered(&outline.model));
        };
        if wire.name() != server.name() {
            return refuse(server, &not_offered(&outline.model));
        }
        if !self.hooks.is_empty() {
            return refuse(
                server,
                &refusal::invalid_request("a policy of this gateway cannot read compactions"),
            );
        }
        let name = name.as_deref();
        let mut sent = match relay_request(request, server, wire.as_ref(), &outline, name, &self.addresses) {
            Ok(sent) => sent,
            Err(error) => return refuse(server, &refusal::invalid_request(error.to_string())),
        };
        let end = sent.path.find('?').unwrap_or(sent.path.len());
        sent.path.insert_str(end, "/compact");
        if let Some(recorder) = &self.recorder {
            recorder.begin(&self.upstream.label, self.upstream.prices(name.unwrap_or(&outline.model)));
        }
        match send(relay.as_ref(), server, sent, &mut stop.into_signal(Phase::Ending)).await {
            Ok(response) => {
                pass_whole(server, response, |body, status| self.count_usage(body, status, Framing::Whole))
            }
            Err(refusal) => *refusal,
        }
    }
}

/// Returns the refusal as the API formulates it for an unknown path.
fn not_offered(model: &str) -> ProviderError {
    let what = format!(
        "Invalid URL (POST /v1/responses/compact): the upstream of the model {model:?} has no compactions; \
         send the conversation to /v1/responses with a request for a summary instead"
    );
    ProviderError::new(ProviderErrorKind::NotFound, Some("unknown_url".to_owned()), what).with_status(404)
}
