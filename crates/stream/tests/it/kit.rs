//! The conformance kit: it accepts a correct model, and rejects a wrong one for each rule.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use futures_util::stream;
use windlass_protocol::{Message, Refusal, RefusalKind, Request, StopReason, Usage};
use windlass_stream::kit::{ModelRule, check_chunks, check_model};
use windlass_stream::{
    CallChunk, CallKey, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture,
    StreamError, StreamErrorKind, WholeCall,
};

fn request() -> Request {
    Request::new("test-1", vec![Message::user("hello")])
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "raw".to_owned() }
}

fn start(key: u64, id: &str, name: &str) -> Chunk {
    Chunk::Call(CallChunk::Start { key: CallKey(key), id: Some(id.into()), name: name.into(), opaque: None })
}

fn delta(key: u64, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: arguments.into() })
}

fn end(key: u64, arguments: Option<&str>) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: arguments.map(Into::into) })
}

fn usage(input_tokens: u64, output_tokens: u64) -> Chunk {
    Chunk::Usage { usage: Usage { input_tokens, output_tokens, ..Usage::default() } }
}

fn whole_answer() -> Vec<Chunk> {
    vec![
        usage(10, 0),
        Chunk::reasoning("hm"),
        Chunk::text("I look."),
        start(4, "a", "read"),
        start(9, "b", "read"),
        delta(4, "{\"p\""),
        delta(9, "{}"),
        end(9, Some("{}")),
        delta(4, ":1}"),
        end(4, None),
        finish(StopReason::Calls),
        usage(10, 7),
    ]
}

/// A deviation of a model beside its chunks.
#[derive(Clone, Copy, PartialEq)]
enum Defect {
    Nothing,
    RefusesInCheck,
    ChangesFacts,
    FailsToStart,
    FailsInTheMiddle,
    NeverEnds,
    StaysLocked,
    SharesItsAnswer,
}

/// A model that returns fixed chunks.
struct Fixed {
    chunks: Vec<Chunk>,
    defect: Defect,
    asked: AtomicU64,
    is_locked: Arc<AtomicBool>,
    shared: Arc<AtomicUsize>,
}

impl Fixed {
    fn new(chunks: Vec<Chunk>, defect: Defect) -> Self {
        let (is_locked, shared) = (Arc::default(), Arc::default());
        Self { chunks, defect, asked: AtomicU64::new(0), is_locked, shared }
    }
}

impl Model for Fixed {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let failure = || ModelError::new(ModelErrorKind::Server, "the server is ill");
        let mut chunks: Vec<_> = self.chunks.clone().into_iter().map(Ok).collect();
        match self.defect {
            Defect::FailsToStart => return Box::pin(async move { Err(failure()) }),
            Defect::FailsInTheMiddle => chunks.insert(2, Err(failure())),
            Defect::NeverEnds => {
                let words: ChunkStream = Box::pin(stream::repeat_with(|| Ok(Chunk::text("and "))));
                return Box::pin(async { Ok(words) });
            }
            // The lock is released at the end of the stream only, so a dropped stream keeps it.
            Defect::StaysLocked => {
                let is_locked = Arc::clone(&self.is_locked);
                if is_locked.swap(true, Ordering::SeqCst) {
                    return Box::pin(async move { Err(failure()) });
                }
                let mut rest = chunks.into_iter();
                let chunks: ChunkStream = Box::pin(stream::poll_fn(move |_| {
                    let next = rest.next();
                    is_locked.store(next.is_some(), Ordering::SeqCst);
                    std::task::Poll::Ready(next)
                }));
                return Box::pin(async { Ok(chunks) });
            }
            // All streams read from one position, which each new request resets.
            Defect::SharesItsAnswer => {
                let (shared, chunks) = (Arc::clone(&self.shared), self.chunks.clone());
                shared.store(0, Ordering::SeqCst);
                let chunks: ChunkStream = Box::pin(stream::poll_fn(move |_| {
                    let at = shared.fetch_add(1, Ordering::SeqCst);
                    std::task::Poll::Ready(chunks.get(at).cloned().map(Ok))
                }));
                return Box::pin(async { Ok(chunks) });
            }
            _ => {}
        }
        let chunks: ChunkStream = Box::pin(stream::iter(chunks));
        Box::pin(async { Ok(chunks) })
    }

    fn check(&self, _: &Request) -> Vec<Refusal> {
        let refusal = Refusal::new(RefusalKind::Image, "messages", "no pictures");
        if self.defect == Defect::RefusesInCheck { vec![refusal] } else { Vec::new() }
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let facts = ModelFacts::default().with_context_tokens(Some(asked));
        (self.defect == Defect::ChangesFacts).then_some(facts)
    }
}

#[tokio::test]
async fn a_correct_model_passes() {
    let model = Fixed::new(whole_answer(), Defect::Nothing);
    assert_eq!(check_model(&model, &request()).await.unwrap(), whole_answer());
    let cut = [start(1, "a", "read"), delta(1, "{"), finish(StopReason::Length)];
    check_chunks(&cut).unwrap();
}

/// A wrong model for each rule, with the rule.
fn wrong_models() -> Vec<(ModelRule, Fixed)> {
    let answer = |rule, chunks: Vec<Chunk>| (rule, Fixed::new(chunks, Defect::Nothing));
    let defect = |rule, defect| (rule, Fixed::new(whole_answer(), defect));
    let call = |pieces: Vec<Chunk>| [pieces, vec![finish(StopReason::Calls)]].concat();
    let error = StreamError::new(StreamErrorKind::Overloaded, None, "busy");
    let whole = |id: &str, name: &str| {
        let body = WholeCall::Arguments("{}".into());
        Chunk::Call(CallChunk::Whole { id: Some(id.into()), name: name.into(), body, opaque: None })
    };
    let word = Chunk::text("word");
    vec![
        defect(ModelRule::AcceptsTheRequest, Defect::RefusesInCheck),
        defect(ModelRule::RepeatsFacts, Defect::ChangesFacts),
        defect(ModelRule::Answers, Defect::FailsToStart),
        defect(ModelRule::Answers, Defect::FailsInTheMiddle),
        answer(ModelRule::Answers, vec![word.clone(), Chunk::Error { error }]),
        defect(ModelRule::EndsTheStream, Defect::NeverEnds),
        answer(ModelRule::FinishesOnce, vec![word.clone()]),
        answer(ModelRule::FinishesOnce, vec![finish(StopReason::End), finish(StopReason::End)]),
        answer(ModelRule::FinishesLast, vec![finish(StopReason::End), word.clone()]),
        answer(ModelRule::FinishesLast, vec![finish(StopReason::End), Chunk::reasoning("hm")]),
        answer(ModelRule::FinishesLast, vec![finish(StopReason::End), whole("a", "read")]),
        answer(ModelRule::StartsCalls, call(vec![delta(1, "{}")])),
        answer(ModelRule::StartsCalls, call(vec![end(1, None)])),
        answer(ModelRule::StartsCalls, call(vec![start(1, "a", "read"), start(1, "b", "read")])),
        answer(ModelRule::EndsCalls, call(vec![start(1, "a", "read"), delta(1, "{}")])),
        answer(ModelRule::EndsCalls, call(vec![start(1, "a", "read"), end(1, None), delta(1, "{}")])),
        answer(ModelRule::EndsCalls, call(vec![start(1, "a", "read"), end(1, None), end(1, None)])),
        answer(ModelRule::NamesCalls, call(vec![start(1, "a", ""), end(1, None)])),
        answer(ModelRule::NamesCalls, call(vec![whole("a", "")])),
        answer(ModelRule::DistinguishesCalls, call(vec![whole("a", "read"), whole("a", "read")])),
        answer(
            ModelRule::RepeatsArguments,
            call(vec![start(1, "a", "x"), delta(1, "{\"a"), end(1, Some("{}"))]),
        ),
        answer(ModelRule::StopsForCalls, vec![word.clone(), finish(StopReason::Calls)]),
        answer(ModelRule::CountsTotals, vec![usage(10, 5), word, usage(10, 4), finish(StopReason::End)]),
        defect(ModelRule::SurvivesDrops, Defect::StaysLocked),
        defect(ModelRule::KeepsAnswersApart, Defect::SharesItsAnswer),
    ]
}

#[tokio::test]
async fn a_wrong_model_is_rejected_for_each_rule() {
    let mut rejected = Vec::new();
    for (rule, model) in wrong_models() {
        let violation = check_model(&model, &request()).await.unwrap_err();
        assert_eq!(violation.rule, rule, "{violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
        rejected.push(rule);
    }
    rejected.dedup();
    assert_eq!(rejected, ModelRule::ALL);
}
