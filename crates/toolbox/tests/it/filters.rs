//! Presets, models, features, availability, other names (L11, N4).

use windlass_protocol::Concurrency;
use windlass_tool::Tool;
use windlass_toolbox::{
    Availability, BuildError, CallbackTool, ModelRule, Preset, ToolConfig, Toolbox, ToolboxBuilder,
};

use crate::fake::{BuiltIn, Does, call, fake};

const NAMES: &[&str] =
    &["read_file", "write_file", "edit_file", "apply_patch", "apply_diff", "run_command", "generate_image"];

fn says(name: &str) -> std::sync::Arc<dyn Tool> {
    fake(name, Concurrency::Parallel, Does::Says("x".into()))
}

fn all() -> ToolboxBuilder {
    Toolbox::builder().tools(NAMES.iter().map(|name| std::sync::Arc::new(BuiltIn(says(name))) as _))
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

#[test]
fn model_rules_change_the_tools_and_the_users_choice_takes_precedence() {
    let check = |model: &str, config: ToolConfig, expected: &[&str]| {
        assert_eq!(offered(&all().config(config).model(model).build().unwrap()), expected, "{model}");
    };
    let minimal = || ToolConfig::new(Preset::Minimal);
    let edits = ["read_file", "write_file", "edit_file", "run_command"];
    let patches = ["read_file", "write_file", "apply_patch", "run_command"];
    check("claude-sonnet-4-6", minimal(), &edits);
    check("gpt-5-mini", minimal(), &patches);
    check("openai/gpt-5.1", minimal(), &patches);
    check("my-codex-7b", minimal(), &patches);
    check("gpt-5-mini", minimal().with_model(ModelRule::new("gpt-*")), &edits);
    // A rule for a model does not remove a tool that the user adds by name.
    check(
        "gpt-5-mini",
        minimal().with_tool("edit_file"),
        &["read_file", "write_file", "edit_file", "apply_patch", "run_command"],
    );
    check("gpt-5-mini", minimal().remove_tool("apply_patch"), &["read_file", "write_file", "run_command"]);
    check("grok-code-fast-1", minimal(), &["read_file", "write_file", "search_replace", "run_command"]);
}

#[test]
fn patterns_of_models_take_stars() {
    let check = |pattern: &str, model: &str, fits: bool| {
        assert_eq!(ModelRule::new(pattern).fits(model), fits, "{pattern} {model}");
    };
    check("*", "anything", true);
    check("gpt-5*", "gpt-5", true);
    check("gpt-5", "gpt-5-mini", false);
    check("*mini", "gpt-5-mini", true);
    check("a*b*c", "a-c-b-c", true);
    check("a*b*c", "a-c-b", false);
    check("ab*ba", "aba", false);
    check("QWEN*", "qwen3", true);
    check("qwen3", "vendor/qwen3", true);
    check("vendor/*", "vendor/qwen3", true);
}

#[test]
fn a_tool_that_waits_for_a_feature_is_offered_with_it() {
    let full = || ToolConfig::new(Preset::Full).with_gate("generate_image", "image_generation");
    let toolbox = all().config(full()).build().unwrap();
    let off = Availability::FeatureOff { feature: "image_generation".into() };
    assert_eq!(toolbox.availability("generate_image"), Some(off));
    let result = toolbox.check(&call("generate_image", "{}")).err().unwrap();
    assert!(result.wire_text().contains("feature image_generation"), "{}", result.wire_text());
    let on = all().config(full().with_feature("image_generation")).build().unwrap();
    assert_eq!(on.availability("generate_image"), Some(Availability::Offered));
    let gated = all().config(full().with_gate("run_command", "shell")).build().unwrap();
    assert!(!offered(&gated).contains(&"run_command".to_owned()));
}

/// A tool that declares the feature that it needs, like a tool of this workspace.
struct Waiting(std::sync::Arc<dyn Tool>);

impl Tool for Waiting {
    fn spec(&self) -> &windlass_protocol::ToolSpec {
        self.0.spec()
    }
    fn feature(&self) -> Option<&str> {
        Some("image_generation")
    }
    fn effects(&self, payload: &windlass_protocol::Payload) -> Vec<windlass_protocol::Effect> {
        self.0.effects(payload)
    }
    fn call<'a>(
        &'a self,
        ctx: &'a windlass_tool::Context,
        payload: &'a windlass_protocol::Payload,
    ) -> windlass_tool::ToolFuture<'a> {
        self.0.call(ctx, payload)
    }
}

// library B3: facts about a built-in tool do not apply to another tool with its name.
#[test]
fn feature_gates_do_not_apply_to_foreign_tools_by_name() {
    let full = || ToolConfig::new(Preset::Full);
    for name in ["generate_image", "run_slash_command"] {
        let strangers = Toolbox::builder().tool(says(name)).config(full()).build().unwrap();
        assert_eq!(offered(&strangers), [name]);
    }
    let own = || Toolbox::builder().tool(std::sync::Arc::new(Waiting(says("generate_image"))));
    assert!(offered(&own().config(full()).build().unwrap()).is_empty());
    let on = own().config(full().with_feature("image_generation")).build().unwrap();
    assert_eq!(offered(&on), ["generate_image"]);
    // A user's file takes precedence over the tool's own statement.
    let other = full().with_gate("generate_image", "pictures").with_feature("pictures");
    assert_eq!(offered(&own().config(other).build().unwrap()), ["generate_image"]);
}

// library B3: presets list the built-in tools, so every preset offers a program's own tool with such a name.
#[test]
fn a_programs_own_tool_with_a_built_in_name_is_offered() {
    let own = |name: &str| {
        let name = windlass_protocol::ToolName::new(name).unwrap();
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        let spec = windlass_protocol::ToolSpec::function(name, "Its own.", schema);
        CallbackTool::new(spec, |_, _| async { Ok(windlass_tool::Output::text("done")) })
    };
    for preset in [Preset::Minimal, Preset::Standard, Preset::Full] {
        for name in ["generate_image", "run_slash_command", "web_search", "execute_code"] {
            let toolbox = Toolbox::builder().tool(own(name)).config(ToolConfig::new(preset)).build().unwrap();
            assert_eq!(offered(&toolbox), [name], "{preset:?}");
        }
    }
    // A built-in tool, here a stand-in with the defaults of the trait, needs its preset.
    let built_in = Toolbox::builder().tool(says("web_search")).build().unwrap();
    assert!(offered(&built_in).is_empty());
    // The user can still disable a tool by its name.
    let config = ToolConfig::default().remove_tool("web_search");
    assert!(offered(&Toolbox::builder().tool(own("web_search")).config(config).build().unwrap()).is_empty());
}

// library B3: the built-in rules about models apply to the built-in tools only; a user's rules apply to names.
#[test]
fn a_strangers_tool_is_not_changed_by_a_built_in_rule_for_a_model() {
    let strangers = |config: ToolConfig, model: &str| {
        let tools = ["edit_file", "apply_diff", "apply_patch"].map(says);
        let toolbox = Toolbox::builder().tools(tools).config(config).model(model).build().unwrap();
        offered(&toolbox)
    };
    let all = ["edit_file", "apply_diff", "apply_patch"];
    assert_eq!(strangers(ToolConfig::new(Preset::Full), "gpt-5-mini"), all);
    assert_eq!(strangers(ToolConfig::new(Preset::Full), "grok-code-fast-1"), all);
    assert_eq!(strangers(ToolConfig::new(Preset::Minimal), "gpt-5-mini"), ["edit_file"]);
    let rule = ModelRule::new("gpt-*").remove_tool("edit_file").renaming("apply_diff", "patch");
    assert_eq!(
        strangers(ToolConfig::new(Preset::Full).with_model(rule), "gpt-5-mini"),
        ["patch", "apply_patch"]
    );
}

#[test]
fn an_unavailable_tool_reports_the_reason() {
    let toolbox = all().unavailable("run_command", "there is no shell").build().unwrap();
    let result = toolbox.check(&call("run_command", "{}")).err().unwrap();
    assert!(
        result
            .wire_text()
            .contains("run_command cannot be used here: there is no shell.\nThe tools are: read_file")
    );
}

// N4: the model sees the new name; the original name and its aliases still lead to the tool.
#[test]
fn a_tool_is_shown_under_the_name_that_the_user_gives_it() {
    let config = || ToolConfig::new(Preset::Standard).renaming("edit_file", "search_replace");
    let toolbox = all().with_known_aliases().config(config()).build().unwrap();
    assert_eq!(offered(&toolbox), ["read_file", "write_file", "search_replace", "run_command"]);
    for name in ["search_replace", "edit_file", "edit", "search_and_replace", "Search-Replace"] {
        assert_eq!(toolbox.check(&call(name, "{}")).ok().unwrap().name.as_str(), "edit_file", "{name}");
    }
    let taken = all().config(config().renaming("write_file", "read_file")).build();
    assert!(matches!(taken, Err(BuildError::DuplicateName { .. })));
    let same = all().config(config().renaming("write_file", "search_replace")).build();
    assert!(matches!(same, Err(BuildError::DuplicateName { .. })));
    let illegal = all().config(config().renaming("write_file", "write file")).build();
    assert!(matches!(illegal, Err(BuildError::Rename { .. })));
    let unknown = all().config(config().renaming("wrote_file", "x")).build();
    assert!(matches!(unknown, Err(BuildError::UnknownConfigured { .. })));
}

#[test]
fn the_main_agent_has_code_and_patches_besides() {
    let toolbox = all().config(ToolConfig::main_agent()).build().unwrap();
    assert_eq!(offered(&toolbox), ["read_file", "write_file", "edit_file", "apply_patch", "run_command"]);
}

#[test]
fn every_catalogue_alias_resolves_to_its_tool() {
    for (alias, name) in [
        ("write_to_file", "write_file"),
        ("list_dir", "list_files"),
        ("edit", "edit_file"),
        ("search_and_replace", "edit_file"),
        ("search_replace", "edit_file"),
        ("search_files", "grep_file"),
        ("grep_files", "grep_file"),
        ("execute_command", "run_command"),
        ("shell", "run_command"),
        ("shell_command", "run_command"),
        ("local_shell", "run_command"),
        ("update_plan", "update_todo_list"),
        ("skill", "fetch_instructions"),
        ("fetch_instructions", "skill"),
    ] {
        let toolbox = Toolbox::builder().tool(says(name)).with_known_aliases().build().unwrap();
        assert_eq!(toolbox.check(&call(alias, "{}")).ok().unwrap().name.as_str(), name, "{alias}");
        // A tool that really has the alias as its name takes precedence.
        let both = Toolbox::builder().tools([says(name), says(alias)]).with_known_aliases();
        let both = both.config(ToolConfig::new(Preset::Full)).build().unwrap();
        assert_eq!(both.check(&call(alias, "{}")).ok().unwrap().name.as_str(), alias);
    }
}
