//! Exchanges between two formats.

mod duties;

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};
use windlass_client::SilenceTimer;
use windlass_protocol::{Request, Role};
use windlass_stream::{ChunkStream, ModelError};
use windlass_tokens::Tokenizer;
use windlass_wire::{DecodedRequest, Encoder, Framing, ProviderError, ResponseHead, Server};

use crate::answer::{GatewayResponse, UsageEstimate, Writing};
use crate::call_filter::CallFilter;
use crate::carry::{Conversion, convert, functions_only};
use crate::gateway::Gateway;
use crate::headers::{TRACE_HEADERS, translate_headers};
use crate::hook::Observer;
use crate::refusal;
use crate::relay::{RelayAnswer, RelayOptions};
use crate::response::{header, new_id, now, refuse, refuse_while_stopping};
use crate::state::Session;
use crate::stop::{Phase, Stop};
use crate::stop_words::StopWords;
use crate::text_filter::TextFilter;
use crate::upstream::Upstream;
use crate::{ClientRequest, estimate};
use duties::AnswerDuties;

/// The most attempts that a client can ask for.
const ATTEMPTS: usize = 10;

/// The future of an answer's start.
type Starting = futures_util::future::BoxFuture<'static, Result<RelayAnswer, ModelError>>;

impl Gateway {
    /// Translates a request, sends it and translates the answer.
    pub(crate) async fn translate(
        &self,
        server: &dyn Server,
        client: ClientRequest,
        mut asked: DecodedRequest,
        exchange: Exchange,
    ) -> GatewayResponse {
        let Exchange { observers, stop, session } = exchange;
        let mut stop = stop.into_signal(Phase::Ending);
        let tokens = estimate::input_tokens(&client.body, &Tokenizer::Unknown).unwrap_or_default();
        let options = self.relay_options(&client);
        // The body is decoded: its bytes are not held beside those of the translation.
        drop(client);
        let UpstreamRequest { request, lost, duties } = match self.prepare(server, &mut asked) {
            Ok(sent) => sent,
            Err(error) => return refuse(server, &error),
        };
        let turn = turn(&request);
        let starting = start_answer(&self.upstream, request, options);
        let answer = tokio::select! {
            biased;
            answer = self.wait_for_start(starting, asked.framing) => answer,
            () = stop.begin() => return refuse_while_stopping(server),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return refuse(server, &refusal::from_model_error(&error)),
        };
        let (id, framing) = (new_id(), asked.framing);
        let headers = headers(&self.servers, server, &id, &answer.headers, &lost);
        let repeated = state_fields(server, session.as_ref());
        let encoder = encoder(server, asked, repeated, &id, tokens);
        let content_type = encoder.content_type().to_owned();
        let mut writing = Writing {
            observers,
            usage: UsageEstimate::new(tokens),
            stop_words: StopWords::new(self.upstream.wire.name(), server),
            keep_alive: (framing != Framing::Whole).then(|| SilenceTimer::new(self.keep_alive)),
            ..duties.begin(answer.chunks, encoder, stop, turn)
        };
        if framing == Framing::Whole {
            // An answer that fails has an error status, so its end must be known before its head is sent.
            writing.collect().await;
            if let Some(error) = writing.error.take() {
                return refuse_with_id(server, &error, headers);
            }
        }
        let body = match session {
            Some(session) => session.record(writing.body(), id, framing),
            None => writing.body(),
        };
        GatewayResponse { status: 200, content_type, headers, body }
    }

    /// Returns the options of the exchange with the upstream: those that the client decides, and the record of repeats.
    fn relay_options(&self, client: &ClientRequest) -> RelayOptions {
        let options = RelayOptions::new(attempts(client)).with_headers(trace_headers(client));
        match self.recorder.clone() {
            Some(recorder) => options.with_on_repeat(move |attempts, wait| recorder.repeat(attempts, wait)),
            None => options,
        }
    }

    /// Waits until an answer starts. The head of a stream is sent before the model's first word if that takes long, so that
    /// no client takes the silence for a failure; an error of the start is then one of the stream.
    async fn wait_for_start(
        &self,
        mut starting: Starting,
        framing: Framing,
    ) -> Result<RelayAnswer, ModelError> {
        tokio::select! {
            biased;
            started = &mut starting => return started,
            () = tokio::time::sleep(self.keep_alive), if framing != Framing::Whole => {}
        }
        Ok(RelayAnswer::new(delay_start(starting), Vec::new()))
    }

    /// Converts a request to the upstream's format. Takes the conversation out of `asked`, because a shared conversation
    /// would be copied when it is changed.
    fn prepare(
        &self,
        server: &dyn Server,
        asked: &mut DecodedRequest,
    ) -> Result<UpstreamRequest, ProviderError> {
        let wire = &self.upstream.wire;
        let messages = std::mem::take(&mut asked.request.messages);
        let mut request = asked.request.clone();
        request.messages = messages;
        if server.name() != wire.name() && server.stores_responses() {
            // The answer contains whether the gateway stores it.
            request.options.extra.remove("store");
        }
        if server.name() != wire.name()
            && let Some(error) = server.refuse_elsewhere(&request)
        {
            return Err(error);
        }
        let Conversion { converted: carried, restorer, free_tools, losses } =
            convert(request, server, wire.as_ref());
        if let Some(what) = carried.refused.clone() {
            return Err(
                refusal::invalid_request(what).with_parameter(carried.refused_field.map(str::to_owned))
            );
        }
        if let Some(error) = self.losses.refuse(&losses, carried.lost_input.as_deref()) {
            return Err(error);
        }
        let calls = CallFilter::new(carried.is_single_call);
        let filter = TextFilter::new(carried.stop_sequences, carried.is_json);
        let mut request = carried.request;
        if let Some(name) = &self.upstream.name {
            request.model.clone_from(name);
        }
        if self
            .upstream
            .relay
            .as_ref()
            .is_some_and(|relay| relay.takes_free_text(&request.model) != Some(true))
        {
            functions_only(&mut request);
        }
        let duties = AnswerDuties { free_tools, restorer, calls, filter };
        Ok(UpstreamRequest { request, lost: carried.lost, duties })
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
    lost: Vec<String>,
    duties: AnswerDuties,
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

/// Refuses a request with the id that is in the headers of its answer.
fn refuse_with_id(
    server: &dyn Server,
    error: &ProviderError,
    headers: Vec<(String, String)>,
) -> GatewayResponse {
    let mut response = refuse(server, error);
    let id_name = server.request_id_header();
    response.headers.extend(headers.into_iter().filter(|(name, _)| name == id_name));
    response
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
    asked.request.options.extra.extend(repeated);
    let mut encoder = server.encoder(&asked, ResponseHead::new(id, model, now()));
    encoder.expect_input_tokens(tokens);
    encoder
}

/// Returns the future of the answer's start. It borrows nothing.
fn start_answer(upstream: &Upstream, request: Request, options: RelayOptions) -> Starting {
    let (model, relay) = (upstream.model.clone(), upstream.relay.clone());
    Box::pin(async move {
        match relay {
            Some(relay) => relay.start_with(&request, options).await,
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

/// Returns the headers of the client's trace.
fn trace_headers(client: &ClientRequest) -> Vec<(String, String)> {
    let headers = client.headers.iter().filter(|(name, _)| TRACE_HEADERS.contains(&name.as_str()));
    headers.cloned().collect()
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

#[cfg(test)]
mod tests;
