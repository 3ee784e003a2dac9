//! The usage of agents counts for the one budget of the task (RULES H10).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_agent::{Budget, BudgetUsage, Outcome, RunOptions, SharedBudget, StopCause, UnansweredPolicy};
use windlass_tool::{AnswerFuture, Human, NoAnswer, Question};

use crate::scene::{Cast, Line, Scene, Shared, agent, calls, ended, hand, says};

/// A human who gives the same answer to every question, and the number of questions.
#[derive(Default)]
struct Says {
    answer: &'static str,
    asked: AtomicUsize,
    texts: Mutex<Vec<String>>,
}

impl Human for Says {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.texts.lock().unwrap().push(question.text.clone());
        Box::pin(async {
            // Wait until the other agents have reached the same question.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            if self.answer.is_empty() { Err(NoAnswer::Absent) } else { Ok(self.answer.to_owned()) }
        })
    }
}

/// Three agents at once, each with four answers.
fn three() -> Scene {
    let part = || -> Vec<Line> {
        let read = |id| calls([(id, "read_file", json!({}))]);
        vec![read("r1"), read("r2"), read("r3"), says("read")]
    };
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([
                    hand("h1", "sub_agent_one"),
                    hand("h2", "sub_agent_two"),
                    hand("h3", "sub_agent_three"),
                ]),
                says("done"),
            ],
        ),
        ("one", part()),
        ("two", part()),
        ("three", part()),
    ]);
    Scene::new(cast, [agent("one"), agent("two"), agent("three")])
}

#[tokio::test(start_paused = true)]
async fn three_agents_at_once_draw_on_one_budget_and_one_yes_is_enough() {
    let scene = three();
    let human = Arc::new(Says { answer: "yes", ..Says::default() });
    let budget = Budget { requests: 9, ..Budget::default() };
    let root = scene.builder().budget(budget).human(human.clone()).build().unwrap();
    let shared_budget = SharedBudget::default();
    let options = RunOptions::default().with_shared_budget(shared_budget.clone());
    let (outcome, _) = ended(root.stream_with("task", options)).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    // Fourteen answers in all: the limit of nine is met once.
    assert_eq!(shared_budget.used(), BudgetUsage { requests: 14, tokens: 1_400, cost: 0 });
    let texts = human.texts.lock().unwrap().clone();
    assert!(!texts.is_empty());
    assert!(texts.iter().all(|text| text.contains("The run and its agents have used")), "{texts:?}");
    assert!(
        texts.iter().all(|text| text.starts_with("[one]")
            || text.starts_with("[two]")
            || text.starts_with("[three]"))
    );
    // Each agent that reached the limit before the approval has asked; no agent asked after it.
    assert!(texts.len() <= 3, "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_denied_budget_question_stops_the_run() {
    let scene = three();
    let human = Arc::new(Says { answer: "no", ..Says::default() });
    let budget = Budget { requests: 7, ..Budget::default() };
    let root = scene.builder().budget(budget).human(human).build().unwrap();
    let (outcome, _) = ended(root.stream("task")).await;
    assert_eq!(outcome, Outcome::Stopped { cause: StopCause::Budget });
    let results = scene.read.ended.load(Ordering::SeqCst);
    assert!(results < 9, "{results} of nine reads were made");
}

// A resumed run knows the usage of its agents.
#[tokio::test(start_paused = true)]
async fn usage_of_child_runs_is_restored_in_another_process() {
    let scene = three();
    let journal = Shared::default();
    let set_up = |budget: u32| {
        let budget = Budget { requests: budget, ..Budget::default() };
        scene.builder().budget(budget).on_unanswered(UnansweredPolicy::Suspend).build().unwrap()
    };
    let options = || RunOptions::default().with_journal(journal.clone()).with_run_id("run-1");
    let (outcome, _) = ended(set_up(7).stream_with("task", options())).await;
    assert!(matches!(outcome, Outcome::Suspended { .. }), "{outcome:?}");
    let shared_budget = SharedBudget::default();
    let (outcome, _) =
        ended(set_up(7).resume(options().with_shared_budget(shared_budget.clone())).unwrap()).await;
    assert!(matches!(outcome, Outcome::Suspended { .. }), "nobody has said that it may go on: {outcome:?}");
    assert!(shared_budget.used().requests >= 7, "{:?}", shared_budget.used());
    let (outcome, _) = ended(set_up(100).resume(options()).unwrap()).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert_eq!(scene.read.ended.load(Ordering::SeqCst), 9, "each read was made once");
}
