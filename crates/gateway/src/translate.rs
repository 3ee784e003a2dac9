//! Exchanges between two formats.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};
use windlass_assemble::{Normalizer, Options};
use windlass_protocol::{Request, Role, ToolSpec};
use windlass_stream::{ChunkStream, FreeText, ModelError};
use windlass_wire::{DecodedRequest, Framing, ResponseHead, Server};

use crate::answer::{GatewayResponse, Writing};
use crate::carry::functions_only;
use crate::gateway::{Gateway, Upstream};
use crate::headers::{request_id_name, translated};
use crate::hook::Observer;
use crate::refusal::{self, refuse, refuse_while_stopping};
use crate::relay::RelayAnswer;
use crate::response::{header, new_id, now};
use crate::state;
use crate::stop::Stop;
use crate::{ClientRequest, carry};

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
        mut asked: DecodedRequest,
        observers: Vec<Box<dyn Observer>>,
        mut stop: Stop,
    ) -> GatewayResponse {
        let wire = &self.upstream.wire;
        if server.name() != wire.name()
            && let Some(error) = state::refusal(server.name(), &asked.request)
        {
            return refuse(server, &error);
        }
        let model = asked.request.model.clone();
        let carried = carry(asked.request.clone(), server.name(), wire.as_ref());
        if let Some(what) = carried.refused {
            return refuse(server, &refusal::invalid_request(what));
        }
        // Free-text tools inside of namespaces are among the carried tools, others among the client's.
        let carried_tools = [&asked.request.tools[..], &carried.request.tools[..]].concat();
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
        let offered = Request::new("", Vec::new()).with_tools(carried_tools);
        let (turn, framing) = (turn(&request), asked.framing);
        let mut starting = starting(&self.upstream, request, attempts(client));
        let started = tokio::select! {
            biased;
            started = &mut starting => Some(started),
            () = stop.wait() => return refuse_while_stopping(server),
            () = tokio::time::sleep(self.keep_alive), if framing != Framing::Whole => None,
        };
        let answer = match started {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => return refuse(server, &refusal::from_model_error(&error)),
            // The head is sent before the model's first word, so that no client takes the silence for a failure.
            None => RelayAnswer::new(late(starting), Vec::new()),
        };
        let free_text = FreeText::for_tools(&free_tools(&offered));
        let id = new_id();
        let mut headers = translated(wire.name(), server.name(), &answer.headers);
        let id_name = request_id_name(server.name());
        if headers.iter().all(|(name, _)| name != id_name) {
            headers.push((id_name.to_owned(), format!("req_{id}")));
        }
        if !carried.lost.is_empty() {
            headers.push(("x-windlass-lost".to_owned(), header(&carried.lost.join(", "))));
        }
        asked.request.messages.clear();
        let mut encoder = server.encoder(&asked, ResponseHead::new(id, model, now()));
        // Four bytes are about one token.
        encoder.expect_input_tokens(u64::try_from(client.body.len() / 4).unwrap_or(u64::MAX));
        let content_type = encoder.content_type().to_owned();
        let mut writing = Writing {
            chunks: answer.chunks,
            normalizer: Some(Normalizer::new(Options::default().with_turn(turn))),
            free_text,
            client_tools: carried.client_tools,
            encoder,
            observers,
            stop,
            keep_alive: (framing != Framing::Whole).then_some(self.keep_alive),
            error: None,
            is_translated: server.name() != wire.name(),
            errors_are_events: server.name() == "openai-chat",
            has_calls: false,
            has_end: false,
            is_over: false,
            waiting: VecDeque::new(),
        };
        if framing == Framing::Whole {
            // An answer that fails has an error status, so its end must be known before its head is sent.
            writing.collect().await;
            if let Some(error) = writing.error.take() {
                let mut response = refuse(server, &error);
                response.headers.extend(headers.into_iter().filter(|(name, _)| name == id_name));
                return response;
            }
        }
        GatewayResponse { status: 200, content_type, headers, body: writing.body() }
    }
}

/// Returns the future of the answer's start, which owns what it needs.
fn starting(upstream: &Upstream, request: Request, attempts: usize) -> Starting {
    let (model, relay) = (upstream.model.clone(), upstream.relay.clone());
    Box::pin(async move {
        match relay {
            Some(relay) => relay.start(&request, attempts).await,
            None => Ok(RelayAnswer::new(model.stream(&request).await?, Vec::new())),
        }
    })
}

/// Returns the chunks of an answer that starts later. An error of its start is an error of the stream.
fn late(starting: Starting) -> ChunkStream {
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

/// Returns the free-text tools of the client. A model can call a function in place of each.
fn free_tools(request: &Request) -> Vec<ToolSpec> {
    let is_free = |tool: &&ToolSpec| matches!(tool, ToolSpec::Freeform { .. });
    request.tools.iter().filter(is_free).cloned().collect()
}

/// Returns the number of the turn. Ids for calls without ids contain it, so that they are unique in the
/// conversation.
fn turn(request: &Request) -> u64 {
    let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    u64::try_from(answers).unwrap_or(u64::MAX)
}
