//! The conformance kit: it accepts a correct tool, and rejects a wrong one for each rule.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use windlass_protocol::{
    Arguments, CallId, Effect, Hints, Payload, PlannedFile, ReconcileOutcome, Target, ToolName, ToolSpec,
};
use windlass_tool::kit::{ToolRule, check_tool};
use windlass_tool::{
    Context, EarlyArguments, GrowingArguments, Inspection, Output, ProgressSink, Tool, ToolError, ToolFuture,
};

/// A deviation of the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    Nothing,
    PanicsInEffects,
    PanicsInInspect,
    PanicsOnPartial,
    PanicsInCall,
    ChangesHints,
    NoDescription,
    NoObject,
    ChangesEffects,
    ChangesInspection,
    WritesSecretly,
    OtherEarlyEffect,
    TakesAnything,
    FatalForOthers,
    SilentForOthers,
    RefusesTheExample,
    NoContent,
    DoneBefore,
    NotDoneAfter,
    StaysBusy,
    FatalAfterDrop,
}

/// A tool that stores a value in memory, and plans it as a file.
struct Store {
    spec: ToolSpec,
    defect: Defect,
    asked: AtomicU64,
    calls: AtomicU64,
    started: AtomicU64,
}

impl Store {
    fn new(defect: Defect) -> Self {
        let description = if defect == Defect::NoDescription { " " } else { "Stores a value." };
        let schema = if defect == Defect::NoObject { r#"{"type":"string"}"# } else { r#"{"type":"object"}"# };
        let name = ToolName::new("store").unwrap();
        let spec = ToolSpec::function(name, description, schema.parse().unwrap());
        Self { spec, defect, asked: AtomicU64::new(0), calls: AtomicU64::new(0), started: AtomicU64::new(0) }
    }

    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    /// Counts upwards if the tool has this defect.
    fn count(&self, defect: Defect) -> u64 {
        if self.has(defect) { self.asked.fetch_add(1, Ordering::SeqCst) } else { 0 }
    }

    async fn run(&self, payload: &Payload) -> Result<Output, ToolError> {
        assert!(!self.has(Defect::PanicsInCall), "a defect");
        let Payload::Function { .. } = payload else {
            return match self.defect {
                Defect::TakesAnything => Ok(Output::text("why not")),
                Defect::FatalForOthers => Err(ToolError::fatal("not a function")),
                Defect::SilentForOthers => Err(ToolError::model("")),
                _ => Err(ToolError::model("call it as a function")),
            };
        };
        if self.has(Defect::RefusesTheExample) {
            return Err(ToolError::model("not today"));
        }
        // Only a call that ends releases its slot.
        let others = self.started.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        match self.defect {
            Defect::StaysBusy if others > 0 => return Err(ToolError::model("another call runs")),
            Defect::FatalAfterDrop if others > 0 => return Err(ToolError::fatal("another call runs")),
            _ => {}
        }
        self.started.fetch_sub(1, Ordering::SeqCst);
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok(Output::text(if self.has(Defect::NoContent) { "" } else { "stored" }))
    }
}

impl Tool for Store {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        let resumable = self.count(Defect::ChangesHints) % 2 == 1;
        let (read_only, idempotent) = (self.has(Defect::WritesSecretly), !self.has(Defect::FatalAfterDrop));
        Hints { idempotent, read_only, resumable, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let Payload::Function { arguments } = payload else { return vec![Effect::Unknown] };
        assert!(!self.has(Defect::PanicsInEffects) || arguments.get("path").is_some(), "a defect");
        let path = format!("a{}", self.count(Defect::ChangesEffects));
        vec![Effect::Write { path, bytes: Some(3) }]
    }

    fn early_effects(&self, _: &EarlyArguments) -> Vec<Effect> {
        let path = if self.has(Defect::OtherEarlyEffect) { "b" } else { "a0" };
        vec![Effect::Write { path: path.into(), bytes: None }]
    }

    fn on_partial(&self, _: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
        arguments.read_with(|read: &mut String, unread| {
            read.push_str(unread);
            assert!(!self.has(Defect::PanicsOnPartial) || !read.starts_with("no"), "a defect");
        });
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let is_text =
            matches!(payload, Payload::Function { arguments } if arguments.get("path") == Some(&json!("a")));
        assert!(!self.has(Defect::PanicsInInspect) || is_text, "a defect");
        let target = Target::missing(format!("a{}", self.count(Defect::ChangesInspection)));
        Inspection::default().with_target(target).with_planned([PlannedFile::new(
            "a",
            None,
            Some("1".into()),
        )])
    }

    fn aftermath(&self, _: &[PlannedFile]) -> ReconcileOutcome {
        match self.calls.load(Ordering::SeqCst) {
            0 if self.has(Defect::DoneBefore) => ReconcileOutcome::Done,
            0 => ReconcileOutcome::NotBegun,
            _ if self.has(Defect::NotDoneAfter) => ReconcileOutcome::NotBegun,
            _ => ReconcileOutcome::Done,
        }
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(self.run(payload))
    }
}

async fn check(defect: Defect) -> Result<(), windlass_protocol::kit::RuleViolation<ToolRule>> {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let arguments = Arguments::parse(r#"{"path":"a","value":1}"#).unwrap();
    check_tool(&Store::new(defect), &ctx, &Payload::Function { arguments }).await
}

#[tokio::test]
async fn a_correct_tool_passes() {
    check(Defect::Nothing).await.unwrap();
}

const WRONG: [(ToolRule, Defect); 20] = [
    (ToolRule::NeverPanics, Defect::PanicsInEffects),
    (ToolRule::NeverPanics, Defect::PanicsInInspect),
    (ToolRule::NeverPanics, Defect::PanicsOnPartial),
    (ToolRule::NeverPanics, Defect::PanicsInCall),
    (ToolRule::RepeatsItsSpec, Defect::ChangesHints),
    (ToolRule::DescribesItself, Defect::NoDescription),
    (ToolRule::HasAnObjectSchema, Defect::NoObject),
    (ToolRule::RepeatsEffects, Defect::ChangesEffects),
    (ToolRule::RepeatsInspection, Defect::ChangesInspection),
    (ToolRule::HintsAtChanges, Defect::WritesSecretly),
    (ToolRule::KeepsEarlyEffects, Defect::OtherEarlyEffect),
    (ToolRule::RefusesOtherPayloads, Defect::TakesAnything),
    (ToolRule::RefusesOtherPayloads, Defect::FatalForOthers),
    (ToolRule::RefusesOtherPayloads, Defect::SilentForOthers),
    (ToolRule::RunsTheExample, Defect::RefusesTheExample),
    (ToolRule::ReturnsContent, Defect::NoContent),
    (ToolRule::RecognizesTheAftermath, Defect::DoneBefore),
    (ToolRule::RecognizesTheAftermath, Defect::NotDoneAfter),
    (ToolRule::SurvivesDrops, Defect::StaysBusy),
    (ToolRule::SurvivesDrops, Defect::FatalAfterDrop),
];

#[tokio::test]
async fn a_wrong_tool_is_rejected_for_each_rule() {
    for (rule, defect) in WRONG {
        let violation = check(defect).await.unwrap_err();
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    }
    let mut rejected: Vec<_> = WRONG.iter().map(|(rule, _)| *rule).collect();
    rejected.dedup();
    assert_eq!(rejected, ToolRule::ALL);
}
