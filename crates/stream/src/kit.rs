//! Conformance of models. A model that passes can answer an agent.

mod answer;
mod chunks;
mod rule;

use windlass_protocol::Request;
use windlass_protocol::kit::RuleViolation;

use crate::{Chunk, Model};

use answer::{Answer, poll_once};
pub use chunks::check_chunks;
pub use rule::ModelRule;

/// Checks a model with a request that it can answer, and returns the chunks of the first answer.
///
/// The kit sends the request six times, so a model with a script needs six answers: it reads one answer, drops the
/// future of one request and the stream of another, reads an answer after that, and reads two answers at the same
/// time. Every complete answer is checked with [`check_chunks`].
///
/// The kit has no clock. A model that waits for the end of its other answers never returns the second of the two
/// answers, so a test should have a timeout.
///
/// ```
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
/// use windlass_protocol::Message;
/// use windlass_stream::kit::check_model;
/// # struct Greeting;
/// # impl Model for Greeting {
/// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
/// #         let chunks = [Chunk::text("Hello."), Chunk::Finish { reason: StopReason::End, raw: "end".into() }];
/// #         let chunks: ChunkStream = Box::pin(futures_util::stream::iter(chunks.map(Ok)));
/// #         Box::pin(async { Ok(chunks) })
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let chunks = check_model(&Greeting, &Request::new("greeting-1", vec![Message::user("Hi.")])).await?;
/// assert_eq!(chunks.len(), 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the model does not follow.
pub async fn check_model(
    model: &dyn Model,
    request: &Request,
) -> Result<Vec<Chunk>, RuleViolation<ModelRule>> {
    if let Some(refusal) = model.check(request).first() {
        let found = format!("`check` returned a reason to refuse the request: {refusal}");
        return Err(RuleViolation::new(ModelRule::AcceptsTheRequest, found));
    }
    if model.facts(&request.model) != model.facts(&request.model) {
        let found = format!("`facts` returned two different values for {:?}", request.model);
        return Err(RuleViolation::new(ModelRule::RepeatsFacts, found));
    }
    let first = Answer::start(model, request).await?.read().await?;
    check_chunks(&first)?;
    check_after_drops(model, request).await?;
    check_two_at_once(model, request).await?;
    Ok(first)
}

/// Drops a future and a stream, and checks the next answer.
async fn check_after_drops(model: &dyn Model, request: &Request) -> Result<(), RuleViolation<ModelRule>> {
    let blame = |mut violation: RuleViolation<ModelRule>| {
        violation.found =
            format!("the answer after a dropped one violates \"{}\": {}", violation.rule, violation.found);
        violation.rule = ModelRule::SurvivesDrops;
        violation
    };
    let mut future = model.stream(request);
    poll_once(&mut future).await;
    drop(future);
    let mut dropped = Answer::start(model, request).await.map_err(blame)?;
    dropped.next().await.map_err(blame)?;
    drop(dropped);
    let next = Answer::start(model, request).await.map_err(blame)?.read().await.map_err(blame)?;
    check_chunks(&next).map_err(blame)
}

/// Reads two answers, in turns one chunk of each.
async fn check_two_at_once(model: &dyn Model, request: &Request) -> Result<(), RuleViolation<ModelRule>> {
    let blame = |mut violation: RuleViolation<ModelRule>| {
        violation.found =
            format!("one of two answers at once violates \"{}\": {}", violation.rule, violation.found);
        violation.rule = ModelRule::KeepsAnswersApart;
        violation
    };
    let mut one = Answer::start(model, request).await.map_err(blame)?;
    let mut other = Answer::start(model, request).await.map_err(blame)?;
    loop {
        let is_open = one.next().await.map_err(blame)?;
        let is_other_open = other.next().await.map_err(blame)?;
        if !is_open && !is_other_open {
            break;
        }
    }
    check_chunks(&one.into_chunks()).map_err(blame)?;
    check_chunks(&other.into_chunks()).map_err(blame)
}
