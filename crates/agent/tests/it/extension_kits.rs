//! The conformance kits of hooks and checkpointers: right ones pass, and a wrong one is rejected for each rule.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_agent::kit::{CheckpointerRule, HookExamples, HookRule, check_checkpointer, check_hook};
use windlass_agent::{
    AnswerText, CheckpointFailed, CheckpointFuture, Checkpointer, EndedCall, Hook, HookContext, HookFuture,
    HookPoint, HookVerdict,
};
use windlass_protocol::{Arguments, CallId, Message, Request, ResultStatus, ToolCall, ToolName, ToolResult};

fn examples() -> HookExamples {
    let id = CallId::new("call_1").unwrap();
    let call =
        ToolCall::function(id.clone(), ToolName::new("read").unwrap(), Arguments::parse("{}").unwrap());
    let mut examples = HookExamples::default();
    examples.results.push(EndedCall::new(call, ToolResult::text(id, ResultStatus::Ok, "done")));
    examples.answers.push("Bluebird is ready.".to_owned());
    examples
}

/// A deviation of a hook.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HookDefect {
    Nothing,
    HasABlankName,
    HasNoPoints,
    RepeatsAPoint,
    ChangesItsPoints,
    Hangs,
    KeepsItsLock,
    Panics,
    PanicsAtOnce,
    GivesNoReason,
    RemovesResults,
    RenamesResults,
}

const WRONG_HOOKS: [(HookRule, HookDefect); 11] = [
    (HookRule::HasAName, HookDefect::HasABlankName),
    (HookRule::NamesItsPoints, HookDefect::HasNoPoints),
    (HookRule::NamesItsPoints, HookDefect::RepeatsAPoint),
    (HookRule::StaysTheSame, HookDefect::ChangesItsPoints),
    (HookRule::Ends, HookDefect::Hangs),
    (HookRule::SurvivesRepetition, HookDefect::KeepsItsLock),
    (HookRule::NeverPanics, HookDefect::Panics),
    (HookRule::NeverPanics, HookDefect::PanicsAtOnce),
    (HookRule::GivesReasons, HookDefect::GivesNoReason),
    (HookRule::KeepsPairs, HookDefect::RemovesResults),
    (HookRule::KeepsTheCall, HookDefect::RenamesResults),
];

const ALL_POINTS: [HookPoint; 8] = [
    HookPoint::Input,
    HookPoint::Request,
    HookPoint::Response,
    HookPoint::Answer,
    HookPoint::Call,
    HookPoint::Result,
    HookPoint::Compaction,
    HookPoint::End,
];

struct Guard {
    defect: HookDefect,
    lock: tokio::sync::Mutex<()>,
    reads: AtomicUsize,
}

impl Guard {
    fn new(defect: HookDefect) -> Self {
        Self { defect, lock: tokio::sync::Mutex::default(), reads: AtomicUsize::new(0) }
    }
}

impl Hook for Guard {
    fn name(&self) -> &str {
        if self.defect == HookDefect::HasABlankName { " " } else { "guard" }
    }

    fn points(&self) -> &[HookPoint] {
        let reads = self.reads.fetch_add(1, Ordering::SeqCst);
        match self.defect {
            HookDefect::HasNoPoints => &[],
            HookDefect::RepeatsAPoint => &[HookPoint::Answer, HookPoint::Answer],
            HookDefect::ChangesItsPoints if reads > 0 => &[HookPoint::Answer],
            _ => &ALL_POINTS,
        }
    }

    fn check_request<'a>(
        &'a self,
        _: &'a HookContext,
        request: &'a Request,
    ) -> HookFuture<'a, HookVerdict<Request>> {
        let mut shorter = request.clone();
        if self.defect == HookDefect::RemovesResults {
            shorter.messages.truncate(request.messages.len() - 1);
        }
        Box::pin(async { HookVerdict::Rewrite(shorter) })
    }

    fn check_answer<'a>(
        &'a self,
        _: &'a HookContext,
        answer: &'a AnswerText,
    ) -> HookFuture<'a, HookVerdict<String>> {
        assert!(self.defect != HookDefect::PanicsAtOnce, "the hook panics");
        Box::pin(async move {
            match self.defect {
                HookDefect::Hangs => std::future::pending::<()>().await,
                HookDefect::KeepsItsLock => std::mem::forget(self.lock.lock().await),
                HookDefect::Panics => panic!("the hook panics"),
                _ => {}
            }
            let reason =
                if self.defect == HookDefect::GivesNoReason { "" } else { "do not name the project" };
            if answer.text.contains("Bluebird") {
                HookVerdict::Veto(reason.to_owned())
            } else {
                HookVerdict::Continue
            }
        })
    }

    fn check_result<'a>(
        &'a self,
        _: &'a HookContext,
        ended: &'a EndedCall,
    ) -> HookFuture<'a, HookVerdict<ToolResult>> {
        let mut result = ended.result.clone();
        if self.defect == HookDefect::RenamesResults {
            result.call = CallId::new("call_2").unwrap();
        }
        Box::pin(async { HookVerdict::Rewrite(result) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_hook_is_rejected_for_each_rule() {
    check_hook(&Guard::new(HookDefect::Nothing), &examples()).await.unwrap();
    for (rule, defect) in WRONG_HOOKS {
        let violation = check_hook(&Guard::new(defect), &examples()).await.unwrap_err();
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    }
    let mut rejected: Vec<_> = WRONG_HOOKS.iter().map(|(rule, _)| *rule).collect();
    rejected.dedup();
    rejected.sort_unstable();
    let mut all = HookRule::ALL.to_vec();
    all.sort_unstable();
    assert_eq!(rejected, all);
}

/// A deviation of a checkpointer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    Nothing,
    Hangs,
    Panics,
    StaysBusy,
    SavesOnce,
    HasOneName,
    HasNoDiff,
    BeginsAtTheStart,
    CountsEveryWrite,
    EndsWithTheTurn,
}

const WRONG: [(CheckpointerRule, Defect); 9] = [
    (CheckpointerRule::Ends, Defect::Hangs),
    (CheckpointerRule::NeverPanics, Defect::Panics),
    (CheckpointerRule::SurvivesDrops, Defect::StaysBusy),
    (CheckpointerRule::Saves, Defect::SavesOnce),
    (CheckpointerRule::NamesStates, Defect::HasOneName),
    (CheckpointerRule::ReturnsTheDiff, Defect::HasNoDiff),
    (CheckpointerRule::SeparatesTurns, Defect::BeginsAtTheStart),
    (CheckpointerRule::IsEmptyWithoutChanges, Defect::CountsEveryWrite),
    (CheckpointerRule::CoversTheRun, Defect::EndsWithTheTurn),
];

/// Checkpoints of one file in memory.
struct Copies {
    defect: Defect,
    file: Mutex<(String, usize)>,
    saved: Mutex<Vec<(String, usize)>>,
    is_busy: Mutex<bool>,
}

impl Copies {
    fn new(defect: Defect) -> Self {
        Self { defect, file: Mutex::default(), saved: Mutex::default(), is_busy: Mutex::default() }
    }

    fn write(&self, content: &str) {
        let mut file = self.file.lock().unwrap();
        *file = (content.to_owned(), file.1 + 1);
    }

    fn diff(&self, before: Option<(String, usize)>) -> String {
        let (now, writes) = self.file.lock().unwrap().clone();
        let (before, earlier) = before.unwrap_or_default();
        let is_same = now == before && (self.defect != Defect::CountsEveryWrite || writes == earlier);
        if is_same || self.defect == Defect::HasNoDiff {
            return String::new();
        }
        let old: Vec<&str> = before.lines().collect();
        let added = now.lines().filter(|line| !old.contains(line)).map(|line| format!("+{line}\n"));
        format!("--- a/file\n+++ b/file\n{}", added.collect::<String>())
    }
}

impl Checkpointer for Copies {
    fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_> {
        Box::pin(async move {
            match self.defect {
                Defect::Hangs => std::future::pending::<()>().await,
                Defect::Panics => panic!("the checkpointer panics"),
                Defect::SavesOnce if turn > 1 => return Err(CheckpointFailed::new("no room")),
                Defect::StaysBusy if std::mem::replace(&mut *self.is_busy.lock().unwrap(), true) => {
                    return Err(CheckpointFailed::new("another operation is in progress"));
                }
                _ => {}
            }
            tokio::task::yield_now().await;
            *self.is_busy.lock().unwrap() = false;
            self.saved.lock().unwrap().push(self.file.lock().unwrap().clone());
            Ok(if self.defect == Defect::HasOneName { "the-one".to_owned() } else { format!("turn-{turn}") })
        })
    }

    fn diff_of_turn(&self, _: u32) -> CheckpointFuture<'_> {
        let saved = self.saved.lock().unwrap();
        let before = if self.defect == Defect::BeginsAtTheStart { saved.first() } else { saved.last() };
        let diff = self.diff(before.cloned());
        Box::pin(async { Ok(diff) })
    }

    fn diff_of_run(&self) -> CheckpointFuture<'_> {
        let saved = self.saved.lock().unwrap();
        let before = if self.defect == Defect::EndsWithTheTurn { saved.last() } else { saved.first() };
        let diff = self.diff(before.cloned());
        Box::pin(async { Ok(diff) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_checkpointer_is_rejected_for_each_rule() {
    let copies = Copies::new(Defect::Nothing);
    check_checkpointer(&copies, |content| copies.write(content)).await.unwrap();
    for (rule, defect) in WRONG {
        let copies = Copies::new(defect);
        let violation = check_checkpointer(&copies, |content| copies.write(content)).await.unwrap_err();
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    }
    assert_eq!(WRONG.map(|(rule, _)| rule), CheckpointerRule::ALL);
}

#[tokio::test]
async fn messages_of_the_examples_reach_the_hook() {
    /// Refuses messages with a word.
    struct NoWord;
    impl Hook for NoWord {
        fn name(&self) -> &'static str {
            "no-word"
        }
        fn points(&self) -> &[HookPoint] {
            &[HookPoint::Input]
        }
        fn check_input<'a>(
            &'a self,
            _: &'a HookContext,
            message: &'a Message,
        ) -> HookFuture<'a, HookVerdict<Message>> {
            let has_word = message.text().contains("secret");
            Box::pin(async move {
                if has_word { HookVerdict::Veto(String::new()) } else { HookVerdict::Continue }
            })
        }
    }
    check_hook(&NoWord, &HookExamples::default()).await.unwrap();
    let mut examples = HookExamples::default();
    examples.messages.push(Message::user("a secret"));
    assert_eq!(check_hook(&NoWord, &examples).await.unwrap_err().rule, HookRule::GivesReasons);
}
