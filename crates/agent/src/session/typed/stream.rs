//! The stream of a typed answer.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_loop::{BudgetUsage, Event};
use windlass_partial_json::{Kind, Node};
use windlass_protocol::{Arguments, CallId, Message, ResultStatus, ToolResult, Usage};
use windlass_tool_args::{Partial, PartialValue, ValuePartial};

use super::answer_path::AnswerPath;
use super::answer_text::{AnswerText, Growth};
use super::answer_tool::Corrections;
use super::form::{Form, MEMBER};
use super::{TypedEvent, TypedReport};
use crate::{AgentError, EventStream, Report, RunOptions, Session};

/// The session of a typed answer.
pub(crate) enum SessionRef<'s> {
    /// A session for this answer only.
    Owned(Box<Session>),
    /// A session of the caller.
    Borrowed(&'s mut Session),
}

impl SessionRef<'_> {
    fn get(&mut self) -> &mut Session {
        match self {
            Self::Owned(session) => session,
            Self::Borrowed(session) => session,
        }
    }
}

/// The events of a run with a typed answer, the answer as far as it has arrived, and then exactly one
/// [`TypedEvent::Answer`] or an error.
///
/// The stream advances only while it is polled, and dropping it cancels the run. Each piece of the answer is parsed
/// once, so the work is linear in the length of the answer.
///
/// [`partial`](Self::partial) returns the partial answer as the partial type of `T`, if `T` has one: plain values,
/// lists, maps, and types with `#[derive(ToolArgs)]`. [`node`](Self::node) returns it as JSON for any type.
///
/// ```
/// use futures_util::StreamExt;
/// use windlass_agent::{Agent, AgentError, TypedEvent};
///
/// async fn show_lines(agent: &Agent) -> Result<Vec<String>, AgentError> {
///     let mut answer = agent.stream_as::<Vec<String>>("List the files.");
///     while let Some(event) = answer.next().await {
///         match event? {
///             TypedEvent::Partial => {
///                 let lines = answer.partial().growing();
///                 println!("{} lines", lines.map_or(0, |lines| lines.len()));
///             }
///             TypedEvent::Correction { problem, .. } => println!("returned to the model: {problem}"),
///             TypedEvent::Answer(report) => return Ok(report.answer),
///             _ => {}
///         }
///     }
///     Err(AgentError::Unfinished)
/// }
/// ```
pub struct TypedStream<'s, T> {
    session: SessionRef<'s>,
    form: Arc<Form<T>>,
    path: AnswerPath,
    /// The newest call that gives the answer.
    call: Option<CallId>,
    /// The events of the current run; `None` after the last one.
    events: Option<EventStream>,
    report: Option<Report>,
    answer: AnswerText,
    /// A `ValuePartial<T>` of the value with this generation. Its type is known only where `T` has a partial type.
    partial: Option<(u64, Box<dyn Any + Send>)>,
    ready: VecDeque<TypedEvent<T>>,
    error: Option<AgentError>,
    corrections: Arc<Corrections>,
    usage: Usage,
    used: BudgetUsage,
}

// The stream is not self-referential, and `T` is never pinned.
impl<T> Unpin for TypedStream<'_, T> {}

impl<'s, T: DeserializeOwned + 'static> TypedStream<'s, T> {
    pub(crate) fn new(mut session: SessionRef<'s>, form: Form<T>, mut task: Message) -> Self {
        let (agent, form) = (&session.get().agent, Arc::new(form));
        let corrections = Arc::new(Corrections::new(agent.parts().corrections));
        let path = AnswerPath::choose(agent, &form, &corrections);
        if let Some(instruction) = path.instruction(&form) {
            task = task.with_part(format!("\n\n{instruction}").as_str());
        }
        let answer = AnswerText::new(form.is_wrapped());
        let mut stream = Self {
            session,
            form,
            path,
            call: None,
            events: None,
            report: None,
            answer,
            partial: None,
            ready: VecDeque::new(),
            error: None,
            corrections,
            usage: Usage::default(),
            used: BudgetUsage::default(),
        };
        stream.start(task);
        stream
    }
}

impl<T> TypedStream<'_, T> {
    fn start(&mut self, task: Message) {
        let options = self.path.apply(RunOptions::default());
        self.events = Some(self.session.get().begin(task, options));
    }

    /// Returns the answer as far as it has arrived, as JSON. Returns `None` before its first byte.
    pub fn node(&self) -> Option<Node<'_>> {
        let root = self.answer.snapshot()?.root()?;
        if self.form.is_wrapped() && root.kind() == Kind::Object { root.get(MEMBER) } else { Some(root) }
    }

    /// Copies the answer as far as it has arrived. The copy takes time proportional to the length of the answer, so do
    /// not copy a long answer after each event.
    pub fn to_value(&self) -> Option<Value> {
        self.node()?.to_value()
    }

    /// Returns the answer as far as it has arrived. The cost is proportional to the text since the last call.
    #[expect(clippy::missing_panics_doc, reason = "the stored value always has this type")]
    pub fn partial(&mut self) -> &Partial<T>
    where
        T: PartialValue,
    {
        let generation = self.answer.generation();
        if self.partial.as_ref().is_some_and(|(of, _)| *of != generation) || self.answer.snapshot().is_none()
        {
            self.partial = None;
        }
        let is_wrapped = self.form.is_wrapped();
        let (_, partial) = self.partial.get_or_insert_with(|| {
            let empty =
                if is_wrapped { ValuePartial::<T>::in_member(MEMBER) } else { ValuePartial::default() };
            (generation, Box::new(empty))
        });
        let partial: &mut ValuePartial<T> =
            partial.downcast_mut().expect("only this function stores a value");
        match self.answer.snapshot() {
            Some(snapshot) => partial.update(snapshot),
            None => partial.value(),
        }
    }

    /// Updates the partial answer with an event of the run.
    fn observe(&mut self, event: Event) {
        let growth = self.update_answer(&event);
        let correction = match &event {
            Event::CallEnded { result } if self.call.as_ref() == Some(&result.call) => {
                self.correction(result)
            }
            _ => None,
        };
        if let Event::Finished { outcome, total } = &event
            && let Some(report) =
                self.events.as_ref().and_then(|run| run.take_report(outcome.clone(), *total))
        {
            self.session.get().end_task(&report);
            self.report = Some(report);
        }
        self.ready.push_back(TypedEvent::Run(event));
        if growth.is_discarded {
            self.ready.push_back(TypedEvent::Discarded);
        }
        if growth.is_grown {
            self.ready.push_back(TypedEvent::Partial);
        }
        self.ready.extend(correction);
    }

    /// Appends the text of an event to the answer, or clears the answer.
    fn update_answer(&mut self, event: &Event) -> Growth {
        match event {
            Event::Text { text } if self.call.is_none() => self.answer.push(text),
            Event::CallStarted { call, name } if self.path.is_answer(name) => {
                self.call = Some(call.clone());
                self.clear_answer()
            }
            Event::CallArguments { call, delta } if self.call.as_ref() == Some(call) => {
                self.answer.push(delta)
            }
            // Some formats send all arguments at once.
            Event::CallFinished { call }
                if self.call.as_ref() == Some(&call.id) && self.answer.text().is_empty() =>
            {
                let arguments = call.arguments().map(Arguments::as_str);
                self.answer.push(arguments.unwrap_or_default())
            }
            Event::TurnStarted { .. } | Event::AttemptDiscarded { .. } => {
                self.call = None;
                self.clear_answer()
            }
            _ => Growth::default(),
        }
    }

    fn clear_answer(&mut self) -> Growth {
        Growth { is_discarded: self.answer.clear(), is_grown: false }
    }

    /// Returns the correction that the result of an answer's call is, if the call was returned to the model.
    fn correction(&self, result: &ToolResult) -> Option<TypedEvent<T>> {
        let is_unfit =
            matches!(result.status, ResultStatus::InvalidArguments | ResultStatus::TruncatedArguments);
        if !is_unfit {
            return None;
        }
        let problem = self.corrections.take_problem().unwrap_or_else(|| {
            // Arguments that are not JSON never reach the tool.
            self.corrections.take();
            result.wire_text()
        });
        let text = self.answer.text().to_owned();
        Some(TypedEvent::Correction { number: self.corrections.count(), problem, text })
    }
}

impl<T: DeserializeOwned> TypedStream<'_, T> {
    /// Reads all events and returns the answer.
    ///
    /// # Errors
    /// Like [`Agent::run_as`](crate::Agent::run_as), and [`AgentError::Unfinished`] if the answer was read before.
    pub async fn report(mut self) -> Result<TypedReport<T>, AgentError> {
        while let Some(event) = self.next().await {
            if let TypedEvent::Answer(report) = event? {
                return Ok(*report);
            }
        }
        Err(AgentError::Unfinished)
    }

    /// Reads the answer of a run that has ended, or returns it to the model.
    fn end_run(&mut self) -> Result<(), AgentError> {
        let report = self.report.take().ok_or(AgentError::Unfinished)?;
        self.usage.add(&report.usage);
        self.used = self.used.plus(report.used);
        let mut report = report.check()?;
        let text = report.clone().into_text()?;
        if self.answer.text() != text {
            // The answer is not the streamed text, for example if a completion tool gives the answer.
            if self.answer.clear() {
                self.ready.push_back(TypedEvent::Discarded);
            }
            if self.answer.push(&text).is_grown {
                self.ready.push_back(TypedEvent::Partial);
            }
        }
        match self.form.read_text(&mut self.answer) {
            Ok(answer) => {
                (report.usage, report.used) = (self.usage, self.used);
                self.ready.push_back(TypedEvent::Answer(Box::new(TypedReport { answer, report })));
            }
            Err(problem) if !self.corrections.take() => return Err(AgentError::Answer { problem, text }),
            Err(problem) => {
                let task = Message::user(self.path.correct(&self.form, &problem));
                let number = self.corrections.count();
                self.ready.push_back(TypedEvent::Correction { number, problem, text });
                self.start(task);
            }
        }
        Ok(())
    }
}

impl<T: DeserializeOwned> Stream for TypedStream<'_, T> {
    type Item = Result<TypedEvent<T>, AgentError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(events) = &mut this.events else {
                return Poll::Ready(this.error.take().map(Err));
            };
            match std::task::ready!(Pin::new(events).poll_next(cx)) {
                Some(Ok(event)) => this.observe(event),
                Some(Err(error)) => {
                    this.events = None;
                    this.error = Some(error);
                }
                None => {
                    this.events = None;
                    this.error = this.end_run().err();
                }
            }
        }
    }
}

impl<T> fmt::Debug for TypedStream<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TypedStream");
        shown.field("corrections", &self.corrections.count()).field("node", &self.node());
        shown.finish_non_exhaustive()
    }
}
