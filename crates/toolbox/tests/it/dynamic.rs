//! Tools that come and go.

use std::sync::Arc;

use windlass_protocol::{Concurrency, ResultStatus};
use windlass_tool::Context;
use windlass_toolbox::{DynamicToolError, DynamicTools, Preset, Removal, Standing, ToolConfig, Toolbox};

use crate::fake::{Does, call, fake, with_schema};

fn says(name: &str) -> Arc<dyn windlass_tool::Tool> {
    fake(name, Concurrency::Parallel, Does::Says("x".into()))
}

fn toolbox(dynamic: &DynamicTools) -> Toolbox {
    let builder =
        Toolbox::builder().tools([says("read_file"), says("run_command"), says("a.b")]).known_aliases();
    builder.config(ToolConfig::new(Preset::Full)).dynamic(dynamic.clone()).build().unwrap()
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.offered().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

#[test]
fn what_comes_is_offered_at_the_next_turn_behind_the_others() {
    let dynamic = DynamicTools::default();
    let first = toolbox(&dynamic);
    dynamic.add(says("late")).unwrap();
    assert!(first.is_stale());
    assert_eq!(offered(&first), ["read_file", "run_command", "a_b"]);
    assert!(first.check(&call("late", "{}")).is_err());
    let second = first.refreshed();
    assert_eq!(offered(&second), ["read_file", "run_command", "a_b", "late"]);
    assert!(second.check(&call("late", "{}")).is_ok());
    assert!(!second.is_stale());
    // Whatever the preset: somebody brought it for that.
    let builder = Toolbox::builder().config(ToolConfig::new(Preset::Minimal)).dynamic(dynamic);
    assert_eq!(offered(&builder.build().unwrap()), ["late"]);
}

// N1: its name is understood after it has gone.
#[tokio::test]
async fn what_goes_does_not_begin_any_more_and_says_so() {
    let dynamic = DynamicTools::default();
    dynamic.add(says("late")).unwrap();
    let first = toolbox(&dynamic);
    let checked = first.check(&call("late", "{}")).ok().unwrap();
    assert_eq!(dynamic.remove("late"), Removal::Removed);
    assert_eq!(dynamic.remove("late"), Removal::NotThere);
    let ctx = Context::new(checked.call.id.clone());
    for toolbox in [first.clone(), first.refreshed()] {
        assert_eq!(toolbox.standing("late"), Some(Standing::Removed));
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
    assert!(first.refreshed().check(&call("late", "{}")).is_ok());
    // The call of the old one is not one of the new one.
    assert!(!first.refreshed().run(&checked, &ctx).await.unwrap().status.is_ok());
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
fn there_is_an_end_to_it() {
    let dynamic = DynamicTools::default();
    for number in 0..256 {
        dynamic.add(says(&format!("t{number}"))).unwrap();
    }
    assert!(matches!(dynamic.add(says("more")), Err(DynamicToolError::TooMany)));
    assert_eq!(dynamic.remove("t0"), Removal::Removed);
    dynamic.add(says("more")).unwrap();
}
