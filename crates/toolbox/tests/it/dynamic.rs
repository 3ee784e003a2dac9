//! Tools that are added and removed during a run.

use std::sync::Arc;

use windlass_protocol::{Concurrency, ResultStatus};
use windlass_tool::Context;
use windlass_toolbox::{
    Availability, DynamicToolError, DynamicTools, Identity, Preset, Removal, ToolConfig, ToolVisibility,
    Toolbox,
};

use crate::fake::{Does, call, fake, with_schema};

fn says(name: &str) -> Arc<dyn windlass_tool::Tool> {
    fake(name, Concurrency::Parallel, Does::Says("x".into()))
}

fn toolbox(dynamic: &DynamicTools) -> Toolbox {
    let builder =
        Toolbox::builder().tools([says("read_file"), says("run_command"), says("a.b")]).with_known_aliases();
    builder.config(ToolConfig::new(Preset::Full)).dynamic(dynamic.clone()).build().unwrap()
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

#[test]
fn added_tools_are_offered_last_from_the_next_turn_on() {
    let dynamic = DynamicTools::default();
    let first = toolbox(&dynamic);
    dynamic.add(says("late")).unwrap();
    assert!(first.is_stale());
    assert_eq!(offered(&first), ["read_file", "run_command", "a_b"]);
    assert!(first.check(&call("late", "{}")).is_err());
    let second = first.refresh();
    assert_eq!(offered(&second), ["read_file", "run_command", "a_b", "late"]);
    assert!(second.check(&call("late", "{}")).is_ok());
    assert!(!second.is_stale());
    // In every preset: the program added the tool on purpose.
    let builder = Toolbox::builder().config(ToolConfig::new(Preset::Minimal)).dynamic(dynamic);
    assert_eq!(offered(&builder.build().unwrap()), ["late"]);
}

#[test]
fn a_pending_change_is_applied_when_a_turn_compares_its_tools_and_never_between() {
    let dynamic = DynamicTools::default();
    let pending = Arc::new(std::sync::Mutex::new(vec!["first"]));
    let (source, registry) = (pending.clone(), dynamic.clone());
    dynamic.register_updater(move || {
        source.lock().unwrap().drain(..).for_each(|name| registry.add(says(name)).unwrap());
    });
    let builder = Toolbox::builder().config(ToolConfig::new(Preset::Minimal)).dynamic(dynamic.clone());
    let toolbox = builder.build().unwrap();
    assert!(toolbox.tool_specs().is_empty());
    let first = toolbox.refresh();
    assert_eq!(offered(&first), ["first"]);
    assert!(!first.is_stale());
    pending.lock().unwrap().push("second");
    assert_eq!(dynamic.list().len(), 1, "nothing compared its tools since");
    assert!(first.is_stale());
    assert_eq!(offered(&first.refresh()), ["first", "second"]);
}

// N1: the name of a removed tool is still recognized, so the error reports the removal.
#[tokio::test]
async fn calls_of_removed_tools_do_not_start_and_report_the_removal() {
    let dynamic = DynamicTools::default();
    dynamic.add(says("late")).unwrap();
    let first = toolbox(&dynamic);
    let checked = first.check(&call("late", "{}")).ok().unwrap();
    assert_eq!(dynamic.remove("late"), Removal::Removed);
    assert_eq!(dynamic.remove("late"), Removal::NotThere);
    let ctx = Context::new(checked.call.id.clone());
    for toolbox in [first.clone(), first.refresh()] {
        assert_eq!(toolbox.availability("late"), Some(Availability::Removed));
        let result = toolbox.run(&checked, &ctx).await.unwrap();
        assert!(
            !result.status.is_ok() && result.wire_text().contains("late was removed"),
            "{}",
            result.wire_text()
        );
        let result = toolbox.check(&call("late", "{}")).err().unwrap();
        assert_eq!(result.status, ResultStatus::UnknownTool);
        assert!(result.wire_text().contains("late was removed"), "{}", result.wire_text());
    }
    dynamic.add(says("late")).unwrap();
    assert!(first.refresh().check(&call("late", "{}")).is_ok());
    // A call of the old tool is not a call of the new tool with its name.
    assert!(!first.refresh().run(&checked, &ctx).await.unwrap().status.is_ok());
}

// N7
#[test]
fn a_name_that_is_taken_or_not_legal_is_refused() {
    let dynamic = DynamicTools::default();
    let _toolbox = toolbox(&dynamic);
    for name in ["read_file", "READ-FILE", "shell", "execute_command", "a_b", "a.b"] {
        let error = dynamic.add(says(name)).unwrap_err();
        assert!(
            matches!(error, DynamicToolError::Taken { .. } | DynamicToolError::Name { .. }),
            "{name}: {error}"
        );
    }
    assert!(matches!(dynamic.add(says("two words")), Err(DynamicToolError::Name { .. })));
    let bad = with_schema("bad", r#"{"type":"nothing"}"#);
    assert!(matches!(dynamic.add(bad), Err(DynamicToolError::Schema { .. })));
    dynamic.add(says("late")).unwrap();
    assert!(matches!(dynamic.add(says("Late")), Err(DynamicToolError::Taken { .. })));
    assert_eq!(dynamic.list().len(), 1);
    // A tool that was there first keeps its name.
    let clash = Toolbox::builder().tool(says("late")).dynamic(dynamic).build();
    assert!(clash.is_err());
}

#[test]
fn the_number_of_dynamic_tools_is_limited() {
    let dynamic = DynamicTools::default();
    for number in 0..256 {
        dynamic.add(says(&format!("t{number}"))).unwrap();
    }
    assert!(matches!(dynamic.add(says("more")), Err(DynamicToolError::TooMany)));
    assert_eq!(dynamic.remove("t0"), Removal::Removed);
    dynamic.add(says("more")).unwrap();
}

fn visiting(
    server: &str,
    tools: &[&str],
    offer: ToolVisibility,
) -> Vec<(Identity, Arc<dyn windlass_tool::Tool>, ToolVisibility)> {
    tools.iter().map(|tool| (Identity::mcp(server, tool), says(tool), offer)).collect()
}

// M1: the tools of a server change at a turn's boundary, and never the names of other tools.
#[test]
fn server_tool_changes_are_offered_after_a_refresh() {
    let dynamic = DynamicTools::default();
    let first = toolbox(&dynamic);
    dynamic.set_server("s", visiting("s", &["one", "two"], ToolVisibility::Shown));
    assert!(first.is_stale());
    assert!(first.check(&call("mcp__s__one", "{}")).is_err());
    let second = first.refresh();
    assert_eq!(offered(&second)[3..], ["mcp__s__one", "mcp__s__two"]);
    assert!(second.check(&call("mcp__s__one", "{}")).is_ok());
    dynamic.set_server("s", visiting("s", &["two", "three"], ToolVisibility::Shown));
    assert_eq!(second.availability("mcp__s__one"), Some(Availability::Removed), "at once");
    let third = second.refresh();
    assert_eq!(offered(&third)[3..], ["mcp__s__two", "mcp__s__three"]);
    let result = third.check(&call("mcp__s__one", "{}")).err().unwrap();
    assert!(result.wire_text().contains("was removed"), "{}", result.wire_text());
    dynamic.set_server("s", visiting("s", &["one"], ToolVisibility::Shown));
    assert_eq!(offered(&third.refresh())[3..], ["mcp__s__one"]);
}

// N2: tools of servers whose shown names would collide get a hash suffix; the program's own tools keep their names.
#[test]
fn colliding_server_tool_names_get_distinct_names() {
    let dynamic = DynamicTools::default();
    dynamic.add(says("mcp__s__own")).unwrap();
    dynamic.set_server("s", visiting("s", &["a.b", "own"], ToolVisibility::Shown));
    let before = toolbox(&dynamic);
    assert_eq!(offered(&before)[3..5], ["mcp__s__own", "mcp__s__a_b"]);
    dynamic.set_server("s2", visiting("s2", &["x"], ToolVisibility::Shown));
    dynamic.set_server("s", visiting("s", &["a.b", "a b", "own"], ToolVisibility::Shown));
    let after = before.refresh();
    let names = offered(&after);
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
    let plain = names.iter().filter(|name| name.starts_with("mcp__s__a_b")).collect::<Vec<_>>();
    assert!(plain.len() == 2 && plain.iter().all(|name| name.len() > 11), "{names:?}");
    for name in &names {
        assert!(after.check(&call(name, "{}")).is_ok(), "{name}");
    }
}

#[test]
fn a_deferred_tool_is_known_and_not_offered() {
    let dynamic = DynamicTools::default();
    dynamic.set_server("s", visiting("s", &["one"], ToolVisibility::Deferred));
    let first = toolbox(&dynamic);
    assert_eq!(offered(&first).len(), 3);
    assert_eq!(first.availability("mcp__s__one"), Some(Availability::Deferred));
    let result = first.check(&call("mcp__s__one", "{}")).err().unwrap();
    assert!(result.wire_text().contains("tool_search"), "{}", result.wire_text());
    dynamic.set_server("s", visiting("s", &["one"], ToolVisibility::Shown));
    assert!(first.refresh().check(&call("mcp__s__one", "{}")).is_ok());
}
