//! Exchanges between two formats.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};
use windlass_assemble::{Normalizer, Options};
use windlass_protocol::{Request, Role, ToolSpec};
use windlass_stream::{ChunkStream, FreeText, ModelError};
use windlass_tokens::Tokenizer;
use windlass_wire::{CallRestorer, DecodedRequest, Encoder, Framing, ProviderError, ResponseHead, Server};

use crate::answer::{GatewayResponse, UsageEstimate, Writing};
use crate::carry::{convert, functions_only};
use crate::gateway::Gateway;
use crate::headers::translate_headers;
use crate::hook::Observer;
use crate::refusal;
use crate::relay::RelayAnswer;
use crate::response::{header, new_id, now, refuse, refuse_while_stopping};
use crate::state::Session;
use crate::stop::Stop;
use crate::stop_words::StopWords;
use crate::text_filter::TextFilter;
use crate::upstream::Upstream;
use crate::{ClientRequest, estimate};

/// The most attempts that a client can ask for.
const ATTEMPTS: usize = 10;

/// The future of an answer's start.
type Starting = futures_util::future::BoxFuture<'static, Result<RelayAnswer, ModelError>>;

impl Gateway {
    /// Translates a request, sends it and translates the answer.
    pub(crate) async fn translate(
        &self,
        server: &dyn Server,
        client: &ClientRequest,
        asked: DecodedRequest,
        exchange: Exchange,
    ) -> GatewayResponse {
        let Exchange { observers, mut stop, session } = exchange;
        let sent = match self.prepare(server, &asked) {
            Ok(sent) => sent,
            Err(error) => return refuse(server, &error),
        };
        let turn = turn(&sent.request);
        let mut starting = start_answer(&self.upstream, sent.request, attempts(client));
        let started = tokio::select! {
            biased;
            started = &mut starting => Some(started),
            () = stop.wait() => return refuse_while_stopping(server),
            () = tokio::time::sleep(self.keep_alive), if asked.framing != Framing::Whole => None,
        };
        let answer = match started {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return refuse(server, &refusal::from_model_error(&error)),
            // The head is sent before the model's first word, so that no client takes the silence for a failure.
            None => RelayAnswer::new(delay_start(starting), Vec::new()),
        };
        let (wire, id, framing) = (&self.upstream.wire, new_id(), asked.framing);
        let headers = headers(&self.servers, server, &id, &answer.headers, &sent.lost);
        let repeated = state_fields(server, session.as_ref());
        let tokens = estimate::input_tokens(&client.body, &Tokenizer::Unknown).unwrap_or_default();
        let encoder = encoder(server, asked, repeated, &id, tokens);
        let content_type = encoder.content_type().to_owned();
        let mut writing = Writing {
            chunks: answer.chunks,
            normalizer: Some(Normalizer::new(Options::default().with_turn(turn))),
            free_text: FreeText::for_tools(&sent.free_tools),
            restorer: sent.restorer,
            filter: sent.filter,
            usage: UsageEstimate::new(tokens),
            stop_words: StopWords::new(wire.name(), server),
            encoder,
            observers,
            stop,
            keep_alive: (framing != Framing::Whole).then_some(self.keep_alive),
            error: None,
            has_end: false,
            is_over: false,
            waiting: VecDeque::new(),
        };
        if framing == Framing::Whole {
            // An answer that fails has an error status, so its end must be known before its head is sent.
            writing.collect().await;
            if let Some(error) = writing.error.take() {
                let mut response = refuse(server, &error);
                let id_name = server.request_id_header();
                response.headers.extend(headers.into_iter().filter(|(name, _)| name == id_name));
                return response;
            }
        }
        let body = match session {
            Some(session) => session.record(writing.body(), id, framing),
            None => writing.body(),
        };
        GatewayResponse { status: 200, content_type, headers, body }
    }

    /// Converts a request to the upstream's format.
    fn prepare(&self, server: &dyn Server, asked: &DecodedRequest) -> Result<UpstreamRequest, ProviderError> {
        let wire = &self.upstream.wire;
        let mut asked = Cow::Borrowed(asked);
        if server.name() != wire.name() && server.stores_responses() {
            // The answer contains whether the gateway stores it.
            asked.to_mut().request.options.extra.remove("store");
        }
        if server.name() != wire.name()
            && let Some(error) = server.refuse_elsewhere(&asked.request)
        {
            return Err(error);
        }
        let (carried, restorer) = convert(asked.request.clone(), server, wire.as_ref());
        if let Some(what) = carried.refused {
            return Err(
                refusal::invalid_request(what).with_parameter(carried.refused_field.map(str::to_owned))
            );
        }
        if let Some(error) = self.losses.refuse(server, &carried.lost) {
            return Err(error);
        }
        let filter = TextFilter::new(carried.stop_sequences, carried.is_json);
        let mut request = carried.request;
        if let Some(name) = &self.upstream.name {
            request.model.clone_from(name);
        }
        let is_free = |tool: &&ToolSpec| matches!(tool, ToolSpec::Freeform { .. });
        let free_tools = asked.request.tools.iter().chain(&request.tools).filter(is_free).cloned().collect();
        if self
            .upstream
            .relay
            .as_ref()
            .is_some_and(|relay| relay.takes_free_text(&request.model) != Some(true))
        {
            functions_only(&mut request);
        }
        Ok(UpstreamRequest { request, free_tools, restorer, filter, lost: carried.lost })
    }
}

/// The parts of an exchange beside its request.
pub(crate) struct Exchange {
    pub(crate) observers: Vec<Box<dyn Observer>>,
    pub(crate) stop: Stop,
    /// The stored conversation.
    pub(crate) session: Option<Session>,
}

/// A request in the upstream's format.
struct UpstreamRequest {
    request: Request,
    /// The free-text tools of the client. A model can call a function in place of each.
    free_tools: Vec<ToolSpec>,
    restorer: Option<Box<dyn CallRestorer>>,
    filter: TextFilter,
    lost: Vec<String>,
}

/// Returns the headers of a translated answer.
fn headers(
    formats: &[Arc<dyn Server>],
    to: &dyn Server,
    id: &str,
    upstream: &[(String, String)],
    lost: &[String],
) -> Vec<(String, String)> {
    let mut headers = translate_headers(formats, to, upstream);
    let id_name = to.request_id_header();
    if headers.iter().all(|(name, _)| name != id_name) {
        headers.push((id_name.to_owned(), format!("req_{id}")));
    }
    if !lost.is_empty() {
        headers.push(("x-windlass-lost".to_owned(), header(&lost.join(", "))));
    }
    headers
}

/// Returns the fields about stored state that the answer repeats: those of the session, or that nothing is stored.
fn state_fields(server: &dyn Server, session: Option<&Session>) -> Map<String, Value> {
    match session {
        Some(session) => session.state_fields(),
        None if server.stores_responses() => Map::from_iter([("store".to_owned(), false.into())]),
        None => Map::new(),
    }
}

/// Returns the encoder of the answer. It reports an estimate of the input tokens until the provider counts.
fn encoder(
    server: &dyn Server,
    mut asked: DecodedRequest,
    repeated: Map<String, Value>,
    id: &str,
    tokens: u64,
) -> Box<dyn Encoder> {
    let model = asked.request.model.clone();
    asked.request.messages.clear();
    asked.request.options.extra.extend(repeated);
    let mut encoder = server.encoder(&asked, ResponseHead::new(id, model, now()));
    encoder.expect_input_tokens(tokens);
    encoder
}

/// Returns the future of the answer's start. It borrows nothing.
fn start_answer(upstream: &Upstream, request: Request, attempts: usize) -> Starting {
    let (model, relay) = (upstream.model.clone(), upstream.relay.clone());
    Box::pin(async move {
        match relay {
            Some(relay) => relay.start(&request, attempts).await,
            None => Ok(RelayAnswer::new(model.stream(&request).await?, Vec::new())),
        }
    })
}

/// Returns the chunks of an answer that starts later. An error of its start is an error of the stream.
fn delay_start(starting: Starting) -> ChunkStream {
    let chunks = stream::once(starting).flat_map(|started| match started {
        Ok(answer) => answer.chunks,
        Err(error) => Box::pin(stream::once(async { Err(error) })) as ChunkStream,
    });
    Box::pin(chunks)
}

/// Returns the number of attempts that the client permits.
fn attempts(client: &ClientRequest) -> usize {
    let asked = client.header("x-windlass-attempts").and_then(|text| text.trim().parse().ok());
    asked.unwrap_or(1_usize).clamp(1, ATTEMPTS)
}

/// Returns the number of the turn. Ids for calls without ids contain it, so that they are unique in the
/// conversation.
fn turn(request: &Request) -> u64 {
    let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    u64::try_from(answers).unwrap_or(u64::MAX)
}
