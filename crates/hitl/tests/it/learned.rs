//! Learning's boundaries (H9, SECURITY "Risk levels and learning").

use windlass_hitl::{
    Action, ApprovalHistory, ApprovalHistoryError, AskOutcome, Autonomy, Grants, Policy, PolicyInput, Rule,
    RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Containment, Effect, Hints, Risk};

use crate::decide::facts;

const DAY: u64 = 24 * 60 * 60 * 1000;

fn write(path: &str) -> PolicyInput {
    facts("tool", vec![Effect::Write { path: path.into(), bytes: None }]).with_place("/project", DAY)
}

fn taught(answers: &str) -> ApprovalHistory {
    let mut learned = ApprovalHistory::new("epoch");
    for answer in answers.chars() {
        let answer = match answer {
            'y' => AskOutcome::Approved,
            'n' => AskOutcome::Denied,
            _ => AskOutcome::Unanswered,
        };
        learned.record(&write("docs/a.md"), answer);
    }
    learned
}

#[track_caller]
fn check(answers: &str, expected: bool) {
    let covers = taught(answers).find_active(&write("docs/a.md")).is_some();
    assert_eq!(covers, expected, "{answers}");
}

// Issue 5, "Must be shown" 4: cases as approvals and number of answers. Each denial was given before the lesson was
// active.
#[test]
fn three_approvals_and_four_in_five_are_enough_and_nothing_less_is() {
    check("yyy", true);
    check("yy", false);
    check("nyyy", false);
    check("nyyyy", true);
    check("nnyyyyy", false);
    check("nnyyyyyyyy", true);
    check("", false);
}

#[test]
fn a_question_without_an_answer_counts_as_asked() {
    check("-yyy", false);
    check("-yyyy", true);
    check("yyy-", false);
    check("yyyy-", true);
}

#[test]
fn a_denial_suspends_a_lesson_until_three_more_approvals() {
    check(&("y".repeat(20) + "n"), false);
    check(&("y".repeat(20) + "nyy"), false);
    check(&("y".repeat(20) + "nyyy"), true);
    check(&("y".repeat(20) + "nynyy"), false);
    check(&("y".repeat(20) + "nynyyy"), true);
}

#[test]
fn a_lesson_is_of_its_tool_its_workspace_and_its_shape() {
    let learned = taught("yyy");
    assert!(learned.find_active(&write("docs/b.md")).is_some(), "the same folder and ending");
    for other in [
        write("docs/a.rs"),
        write("src/a.md"),
        write("docs/a.md").with_place("/other", DAY),
        facts("other", vec![Effect::Write { path: "docs/a.md".into(), bytes: None }])
            .with_place("/project", DAY),
        facts("tool", vec![Effect::Read { path: "docs/a.md".into() }]).with_place("/project", DAY),
    ] {
        assert_eq!(learned.find_active(&other), None, "{other:?}");
    }
}

#[test]
fn a_learned_approval_expires_after_30_days_and_starts_over() {
    let mut learned = taught("yyyy");
    let later = |days: u64| write("docs/a.md").with_place("/project", (1 + days) * DAY);
    assert!(learned.find_active(&later(30)).is_some());
    assert!(learned.find_active(&later(31)).is_none());
    learned.record(&later(31), AskOutcome::Approved);
    assert!(learned.find_active(&later(31)).is_none(), "one approval is not three");
}

#[test]
fn high_risk_calls_are_never_learned() {
    for effect in [
        Effect::Execute { command: "ls".into(), directory: ".".into() },
        Effect::Delete { path: "a".into() },
        Effect::Write { path: ".git/config".into(), bytes: None },
        Effect::Unknown,
    ] {
        let facts = facts("tool", vec![effect]);
        let mut learned = ApprovalHistory::new("epoch");
        for _ in 0..10 {
            learned.record(&facts, AskOutcome::Approved);
        }
        assert_eq!((learned.find_active(&facts), learned.entries().count()), (None, 0), "{facts:?}");
    }
}

#[test]
fn a_confined_command_of_low_risk_is_never_learned() {
    let effect = Effect::Execute { command: "ls".into(), directory: ".".into() };
    let hints = Hints { risk: Risk::Low, ..Hints::default() };
    let full = Containment::new("ns+landlock+seccomp", vec![]);
    let mut facts = facts("tool", vec![effect]).with_sight(vec![], Some(full));
    facts.hints = hints;
    assert_eq!(facts.risk(), Risk::Low);
    let mut learned = ApprovalHistory::new("epoch");
    for _ in 0..10 {
        learned.record(&facts, AskOutcome::Approved);
    }
    assert_eq!((learned.find_active(&facts), learned.entries().count()), (None, 0));
}

// H2: a lesson applies after every rule, and not in a mode without a human.
#[test]
fn a_lesson_never_overrides_a_rule() {
    let learned = taught("yyyyy");
    let decide_call =
        |policy: &Policy, facts: &PolicyInput| decide(policy, &Grants::default(), &learned, facts);
    let allowed = decide_call(&Policy::default(), &write("docs/a.md"));
    assert_eq!((allowed.verdict, allowed.reason.source), (Verdict::Allow, Source::Learned));
    let (id, _) = learned.entries().next().unwrap();
    assert_eq!(allowed.reason.rule_id, format!("l.{id}"));
    for (action, verdict) in [(Action::Deny, Verdict::Deny), (Action::Ask, Verdict::Ask)] {
        let mut file = RuleFile::default();
        file.rules.push(Rule::new("docs", action).with_path("docs/**"));
        let policy = Policy::default().with_file(Source::Project, file).unwrap();
        assert_eq!(decide_call(&policy, &write("docs/a.md")).verdict, verdict);
    }
    for mode in [Autonomy::Headless, Autonomy::ReadOnly] {
        let decision = decide_call(&Policy::default(), &write("docs/a.md").with_autonomy(mode));
        assert_eq!(decision.verdict, Verdict::Deny, "{mode:?}");
    }
}

#[test]
fn a_lesson_can_be_listed_and_revoked() {
    let mut learned = taught("yyyn");
    let (id, lesson) = learned.entries().next().map(|(id, lesson)| (id.to_owned(), lesson.clone())).unwrap();
    assert_eq!((lesson.approvals, lesson.total, lesson.suspended), (3, 4, 3));
    assert_eq!(lesson.shape, "write docs md");
    assert!(learned.revoke(&id) && !learned.revoke(&id));
    assert_eq!(learned.entries().count(), 0);
}

#[test]
fn a_store_is_restored_unless_the_policy_differs() {
    let learned = taught("yyy");
    let text = learned.to_text().unwrap();
    assert_eq!(ApprovalHistory::parse(&text, "epoch").unwrap(), learned);
    assert_eq!(ApprovalHistory::parse(&text, "other").unwrap(), ApprovalHistory::new("other"));
}

// A corrupt store is refused with an error, and allows nothing.
#[test]
fn a_corrupt_store_is_refused() {
    let text = taught("yyy").to_text().unwrap();
    for (from, to) in [("{", "["), ("\"version\": 1", "\"version\": 2"), ("\"total\": 3", "\"total\": 2")] {
        let corrupt = text.replacen(from, to, 1);
        assert_ne!(corrupt, text, "{from}");
        let error = ApprovalHistory::parse(&corrupt, "epoch").unwrap_err();
        match from {
            "{" => assert!(matches!(error, ApprovalHistoryError::Json(_))),
            "\"total\": 3" => assert!(matches!(error, ApprovalHistoryError::Contradiction { .. })),
            _ => assert!(matches!(error, ApprovalHistoryError::Version { version: 2 })),
        }
    }
}

// correctness-2: a lesson with a time in the future was learned while the clock was wrong.
#[test]
fn a_learned_approval_from_the_future_does_not_count() {
    let at = |now_ms: u64| write("docs/a.md").with_place("/project", now_ms);
    let mut learned = ApprovalHistory::new("epoch");
    for _ in 0..3 {
        learned.record(&at(100 * 365 * DAY), AskOutcome::Approved);
    }
    assert!(learned.find_active(&at(DAY)).is_none());
    for _ in 0..3 {
        assert!(learned.find_active(&at(DAY)).is_none());
        learned.record(&at(DAY), AskOutcome::Approved);
    }
    assert!(learned.find_active(&at(DAY)).is_some());
    assert!(learned.find_active(&at(32 * DAY)).is_none(), "it ends 30 days after the true time");
}
