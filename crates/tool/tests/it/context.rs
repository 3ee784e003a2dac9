//! Messages and questions of a tool's context, without secrets.

use std::sync::{Arc, Mutex};

use windlass_protocol::CallId;
use windlass_redact::Redactor;
use windlass_tool::{AnswerFuture, Context, Human, NoAnswer, Progress, Question};

const SECRET: &str = "sk-planted-0001";

/// Stores the questions.
#[derive(Default)]
struct Listening(Mutex<Vec<Question>>);

impl Human for Listening {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.0.lock().unwrap().push(question.clone());
        Box::pin(async { Ok("yes".to_owned()) })
    }
}

fn context(told: &Arc<Mutex<Vec<Progress>>>) -> Context {
    let told = told.clone();
    Context::new(CallId::new("call_1").unwrap())
        .with_progress(move |progress| told.lock().unwrap().push(progress))
}

#[test]
fn a_secret_split_over_output_pieces_is_redacted() {
    let told = Arc::default();
    let ctx = context(&told).with_redactor(Redactor::new([SECRET.into()]));
    for piece in ["a sk-pla", "nted-00", "01 b sk-", "planet"] {
        ctx.tell(Progress::Output(piece.to_owned()));
    }
    ctx.tell(Progress::Note(format!("with {SECRET}")));
    ctx.tell(Progress::Output(" sk-pl".to_owned()));
    ctx.tell_rest();
    let output = |text: &str| Progress::Output(text.to_owned());
    let expected = [
        output("a "),
        output("[redacted] b "),
        output("sk-planet"),
        Progress::Note("with [redacted]".to_owned()),
        output(" "),
        output("sk-pl"),
    ];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[test]
fn without_secrets_output_is_emitted_immediately() {
    let told = Arc::default();
    let ctx = context(&told);
    ctx.tell(Progress::Output(SECRET.to_owned()));
    ctx.tell_rest();
    assert_eq!(*told.lock().unwrap(), [Progress::Output(SECRET.to_owned())]);
}

#[tokio::test]
async fn a_question_is_asked_without_secrets() {
    let human = Arc::new(Listening::default());
    let ctx =
        context(&Arc::default()).with_redactor(Redactor::new([SECRET.into()])).with_human(human.clone());
    let question = Question::new(format!("use {SECRET}?"), vec![SECRET.to_owned(), "no".to_owned()]);
    assert_eq!(ctx.ask(&question).await.as_deref(), Ok("yes"));
    let asked = Question::new("use [redacted]?", vec!["[redacted]".to_owned(), "no".to_owned()]);
    assert_eq!(*human.0.lock().unwrap(), [asked]);
    let alone = context(&Arc::default()).with_redactor(Redactor::new([SECRET.into()]));
    assert_eq!(alone.ask(&question).await, Err(NoAnswer::Absent));
}
