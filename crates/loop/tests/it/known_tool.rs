//! Calls by a name that differs from the shown name of the tool.

use windlass_loop::{Budget, Command, Config, KnownTool, Machine, Outcome, StepClass};
use windlass_protocol::{Control, Hints, ResultStatus};

use crate::driven::{Driven, call, config, early, entries};

/// Every tool under an alias, and `look` also as a server's tool without its prefix.
fn aliased(mut config: Config) -> Config {
    let known = |name: &str, hints: Hints, alias: &str| {
        KnownTool::new(name, hints)
            .with_names(vec![name.to_owned(), alias.to_owned()], vec![format!("short_{name}")])
    };
    let tools = std::mem::take(&mut config.tools);
    let aliases = [("look", "list_dir"), ("change", "write_to_file"), ("done", "finish")];
    let known = tools
        .iter()
        .zip(aliases)
        .map(|(tool, (name, alias))| known(name, tool.hints, alias))
        .chain([known("switch", Hints { control: Control::ModeSwitch, ..Hints::default() }, "change_mode")])
        .collect();
    config.tools = tools;
    config.with_known_tools(known)
}

// Correctness 21: a call by an alias has the read-only hint of its tool, so it runs again after a crash.
#[test]
fn a_call_by_an_alias_has_the_hints_of_its_tool() {
    for name in ["look", "list_dir", "functions.list_dir", "Short-Look"] {
        let mut run = Driven::start(aliased(config()));
        let mut record = entries(&run.effects);
        run.answer([call("a", name, "{}")]);
        run.decide_all();
        record.extend(entries(&run.effects));
        let run_a = run.effects.iter().find(|want| matches!(want, Command::Run(_))).unwrap();
        assert_eq!(run.machine.step_of(run_a).unwrap().class, StepClass::Pure, "{name}");
        let (machine, effects) = Machine::resume(aliased(config()), record, 0).unwrap();
        let run = Driven { machine, effects, now: 0 };
        assert_eq!(run.to_decide().len(), 1, "{name} runs again");

        let mut run = Driven::start(aliased(early()));
        run.step(windlass_loop::Input::Chunk(call("a", name, "{}")));
        assert_eq!(run.ahead().len(), 1, "{name} begins while its answer streams");
    }
}

#[test]
fn a_completion_by_an_alias_completes_as_the_last_call_only() {
    let mut run = Driven::start(aliased(config()));
    run.answer([call("a", "look", "{}"), call("b", "finish", r#"{"result":"r"}"#)]);
    assert_eq!(run.to_decide().len(), 1, "it waits for its sibling");
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    run.decide_call(&run.to_decide()[1].clone());
    run.result("b", ResultStatus::Ok);
    assert_eq!(run.outcome(), Some(&Outcome::Completed { text: "r".into() }));
}

#[test]
fn a_change_of_the_mode_by_an_alias_is_a_barrier() {
    let mut run = Driven::start(aliased(config()));
    run.answer([call("a", "change_mode", "{}"), call("b", "look", "{}")]);
    assert_eq!(run.to_decide().len(), 1, "what is behind it waits");
}

#[test]
fn an_alias_does_not_get_around_the_budget_of_a_tool() {
    for limited in ["look", "list_dir"] {
        let budget = Budget { calls: [(limited.to_owned(), 1)].into(), ..Budget::default() };
        let mut run = Driven::start(aliased(config()).with_budget(budget));
        run.answer([call("a", "list_dir", "{}"), call("b", "look", r#"{"n":1}"#)]);
        run.decide_all();
        run.result("a", ResultStatus::Ok);
        assert_eq!(run.statuses()[1], ("b".to_owned(), ResultStatus::NotStarted), "{limited}");
        assert!(run.effects.iter().any(|want| matches!(want, Command::Interrupt { .. })));
    }
}
