//! The preparation of a request: its schemas, its address and its headers.

use windlass_protocol::{Refusal, Request};
use windlass_schema::{Dialect, Loss};
use windlass_vendors::{Header, check_inputs};
use windlass_wire::HttpRequest;

use crate::Client;
use crate::event::ClientEvent;
use crate::failure::Failures;
use crate::schemas::CompiledRequest;
use crate::transport::TransportRequest;

impl Client {
    /// Returns the request with its schemas compiled to the vendor's dialect.
    pub(crate) fn compile_schemas<'a>(&self, request: &'a Request) -> CompiledRequest<'a> {
        let report = |tool: &str, losses: &[Loss]| {
            self.notify(|| ClientEvent::SchemaLoss { tool: tool.to_owned(), losses: losses.to_vec() });
        };
        let dialect = Dialect::from_name(self.inner.encoder.schema_dialect(&request.model));
        self.inner.schemas.compile_request(request, dialect.unwrap_or(Dialect::OpenAi), &report)
    }

    /// Returns a refusal for each part of a request that the model is known not to accept.
    pub(crate) fn check_parts(&self, request: &Request) -> Vec<Refusal> {
        check_inputs(&request.messages, &request.model, &self.capabilities(&request.model))
    }

    /// Returns the request with its URL and headers.
    pub(crate) fn add_address(&self, http: HttpRequest) -> TransportRequest {
        let Failures { endpoint, key, .. } = &*self.inner.failures;
        let request = TransportRequest::post(endpoint.url(&http.path), http.body);
        let own = http.headers.iter().map(|(name, value)| Header::new(name, value));
        own.chain(endpoint.all_headers(key.expose())).fold(request, TransportRequest::with_header)
    }
}
