//! Approvals and questions at the terminal, one at a time.

mod echo;
mod keyboard;
mod question;
mod reply;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::Mutex;
use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_screen::Role;
use windlass_tool::{AnswerFuture, Human, NoAnswer, Question};

pub(crate) use self::echo::EchoOff;
#[cfg(any(feature = "acp", feature = "mock", feature = "server", feature = "tui"))]
pub(crate) use self::echo::keep_process_at_signals;
use self::question::{ApprovalText, render_question};
use self::reply::{Line, Reply, reply};
use crate::paint::{Painted, Painter, Stream};
use crate::screen;

/// The user at the terminal. All values share one keyboard.
#[derive(Clone)]
pub(crate) struct Terminal {
    keyboard: Arc<Mutex<Keyboard>>,
}

/// Source of entered lines.
enum Keyboard {
    /// A terminal. Only lines that were entered after the question was displayed are answers.
    Typed,
    /// A pipe or a file. Each line answers one question.
    Piped(Lines<BufReader<Stdin>>),
}

/// A displayed question. All other output is buffered until it is dropped.
struct Standing<'a> {
    // Dropped first, so that buffered output is written before another question can take the keyboard.
    screen: screen::HeldOutput,
    keyboard: tokio::sync::MutexGuard<'a, Keyboard>,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        static KEYBOARD: OnceLock<Arc<Mutex<Keyboard>>> = OnceLock::new();
        let keyboard = KEYBOARD.get_or_init(|| {
            Arc::new(Mutex::new(if std::io::stdin().is_terminal() {
                Keyboard::Typed
            } else {
                Keyboard::Piped(BufReader::new(tokio::io::stdin()).lines())
            }))
        });
        Self { keyboard: Arc::clone(keyboard) }
    }

    /// Returns true if standard input and standard error are terminals.
    pub(crate) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Waits until no other question is open and every event before this question is printed.
    async fn stand(&self, request: Option<&str>) -> Standing<'_> {
        let keyboard = self.keyboard.lock().await;
        screen::claim(request).await;
        Standing { screen: screen::hold(), keyboard }
    }
}

impl Standing<'_> {
    /// Prints a text and waits for a line. Returns `None` at the end of the input.
    async fn ask(&mut self, text: &Painted) -> Option<Line> {
        self.screen.write(text);
        match &mut *self.keyboard {
            Keyboard::Piped(lines) => {
                let text = lines.next_line().await.ok().flatten()?;
                Some(Line { text, is_pasted: false })
            }
            Keyboard::Typed => {
                let withdrawn = WithdrawnFlag(Arc::default());
                let flag = Arc::clone(&withdrawn.0);
                let line = tokio::task::spawn_blocking(move || keyboard::read_typed(&flag)).await;
                line.ok().and_then(Result::ok).flatten()
            }
        }
    }

    fn is_typed(&self) -> bool {
        matches!(*self.keyboard, Keyboard::Typed)
    }
}

/// Guard that stops the thread at the keyboard when the question is dropped.
struct WithdrawnFlag(Arc<AtomicBool>);

impl Drop for WithdrawnFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Approver for Terminal {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let id = request.request_id.clone();
            let mut standing = self.stand(Some(&id)).await;
            let question = ApprovalText::new(request, Painter::new(Stream::Err));
            let mut text = question.render(request);
            if standing.is_typed() {
                standing.screen.set_reminder(question.render_reminder());
            }
            loop {
                let Some(line) = standing.ask(&text).await else {
                    // Ctrl-D is a denial by a person; the end of a pipe means that no person is present.
                    let is_typed = standing.is_typed();
                    if is_typed {
                        let words = "\n  the input was closed (Ctrl-D), which denies the call\n";
                        standing.screen.write(&Painter::new(Stream::Err).paint_lines(Role::Words, words));
                    }
                    return is_typed.then(|| ApprovalDecision::deny(id, None));
                };
                match reply(&line, request.can_remember) {
                    Reply::Yes => return Some(ApprovalDecision::approve(id)),
                    Reply::Always => return Some(ApprovalDecision::approve(id).with_remember()),
                    Reply::No(comment) => return Some(ApprovalDecision::deny(id, comment)),
                    Reply::Unclear(why) => text = question.render_again(why),
                }
            }
        })
    }
}

impl Human for Terminal {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let text = render_question(question, Painter::new(Stream::Err));
            let answer = self.stand(None).await.ask(&text).await.ok_or(NoAnswer::Absent)?.text;
            let picked = answer.trim().parse::<usize>().ok().and_then(|at| at.checked_sub(1));
            Ok(picked.and_then(|at| question.suggestions.get(at)).cloned().unwrap_or(answer))
        })
    }
}

/// Approver that denies every call.
pub(crate) struct SayNo;

impl Approver for SayNo {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let reason = Some("this run was started with --deny".to_owned());
        Box::pin(async move { Some(ApprovalDecision::deny(request.request_id.clone(), reason)) })
    }
}
