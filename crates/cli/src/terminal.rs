//! The human at the terminal: approvals and questions, one at a time.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest, display_safe};
use windlass_tool::{AnswerFuture, Human, NoAnswer, Question};

use crate::output;

/// The human at the terminal. Clones share the keyboard.
#[derive(Clone)]
pub(crate) struct Terminal {
    lines: Arc<Mutex<Lines<BufReader<Stdin>>>>,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        Self { lines: Arc::new(Mutex::new(BufReader::new(tokio::io::stdin()).lines())) }
    }

    /// Whether a human can be asked.
    pub(crate) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Asks and waits; nothing if the input has ended.
    async fn ask(&self, question: &str) -> Option<String> {
        // One question at a time; the others wait here.
        let mut lines = self.lines.lock().await;
        let mut err = std::io::stderr();
        let _ = write!(err, "{question}");
        let _ = err.flush();
        lines.next_line().await.ok().flatten()
    }
}

impl Approver for Terminal {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let remember = if request.can_remember {
                format!(", a: yes for this session to {}", display_safe(&request.scope))
            } else {
                String::new()
            };
            let question =
                format!("\n? {}\nMay it run? [y: yes{remember}, n: no, or say why not] ", request.describe());
            let answer = self.ask(&question).await?;
            let id = request.request_id.clone();
            Some(match answer.trim() {
                "y" | "Y" | "yes" => ApprovalDecision::approve(id),
                "a" | "A" if request.can_remember => ApprovalDecision::approve(id).with_remember(),
                "" | "n" | "N" | "no" => ApprovalDecision::deny(id, None),
                comment => ApprovalDecision::deny(id, Some(comment.to_owned())),
            })
        })
    }
}

impl Human for Terminal {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let mut suggestions = String::new();
            for (at, text) in question.suggestions.iter().enumerate() {
                let _ = write!(suggestions, "\n  {}: {}", at.saturating_add(1), display_safe(text));
            }
            let text = format!("\n? {}{suggestions}\n> ", display_safe(&question.text));
            let answer = self.ask(&text).await.ok_or(NoAnswer::Absent)?;
            let picked = answer.trim().parse::<usize>().ok().and_then(|at| at.checked_sub(1));
            Ok(picked.and_then(|at| question.suggestions.get(at)).cloned().unwrap_or(answer))
        })
    }
}

/// Says what it would ask, and stops the run: nobody is there.
pub(crate) struct WouldAsk {
    pub(crate) stop: CancellationToken,
}

impl Approver for WouldAsk {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            output::note(&format!(
                "\n? {}\nNobody is at a terminal to say yes. Run it again with --yes to say yes to everything.",
                request.describe()
            ));
            self.stop.cancel();
            None
        })
    }
}

/// Says no to everything.
pub(crate) struct SayNo;

impl Approver for SayNo {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let reason = Some("this run was started with --deny".to_owned());
        Box::pin(async move { Some(ApprovalDecision::deny(request.request_id.clone(), reason)) })
    }
}
