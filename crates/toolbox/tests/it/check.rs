//! Names, presets and arguments (N3, N4, N7, J10).

use windlass_protocol::{Concurrency, Payload, ResultStatus, ToolCall, ToolName};
use windlass_tool::EarlyArguments;
use windlass_toolbox::{BuildError, CallableTool, Preset, ToolConfig, Toolbox, ToolboxBuilder};

use crate::fake::{Does, call, fake};

const NAMES: &[&str] = &[
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "grep_file",
    "run_command",
    "update_todo_list",
    "ask_followup_question",
    "attempt_completion",
    "rare_tool",
];

fn all() -> ToolboxBuilder {
    let says = |name: &&str| fake(name, Concurrency::Parallel, Does::Says("x".into()));
    Toolbox::builder().tools(NAMES.iter().map(says)).with_known_aliases()
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

#[test]
fn presets_limit_known_tools_and_always_offer_unknown_ones() {
    // `rare_tool` is the program's own.
    for (preset, count) in [(Preset::Minimal, 5), (Preset::Standard, 10), (Preset::Full, 10)] {
        let toolbox = all().config(ToolConfig::new(preset)).build().unwrap();
        assert_eq!(offered(&toolbox).len(), count, "{preset:?}");
        // The tools are in the order in which they were added, not in the order of the preset (N6).
        let mut in_order: Vec<_> =
            NAMES.iter().filter(|name| offered(&toolbox).contains(&(**name).to_owned())).collect();
        in_order.dedup();
        assert_eq!(offered(&toolbox).iter().collect::<Vec<_>>(), in_order);
    }
}

#[test]
fn a_tool_that_is_not_offered_cannot_be_called() {
    for preset in [Preset::Minimal, Preset::Standard, Preset::Full] {
        let config = ToolConfig::new(preset).remove_tool("edit_file");
        let toolbox = all().config(config).build().unwrap();
        for name in NAMES.iter().chain(&["search_and_replace"]) {
            let is_offered = offered(&toolbox).contains(&(*name).to_owned());
            assert_eq!(toolbox.check(&call(name, "{}")).is_ok(), is_offered, "{preset:?} {name}");
        }
    }
}

// A name that the configuration misspells is an error, and never a tool that is left on.
#[test]
fn the_configuration_names_tools_exactly() {
    for name in ["RUN_COMMAND", "run-command", "functions.run_command", "execute_command"] {
        let config = ToolConfig::new(Preset::Full).remove_tool(name);
        assert!(matches!(all().config(config).build(), Err(BuildError::UnknownConfigured { .. })), "{name}");
    }
}

#[test]
fn an_unknown_tool_error_lists_the_offered_tools() {
    let toolbox = all().config(ToolConfig::new(Preset::Minimal)).build().unwrap();
    let result = toolbox.check(&call("fly", "{}")).err().unwrap();
    assert_eq!(result.status, ResultStatus::UnknownTool);
    assert!(result.wire_text().contains("read_file, write_file, edit_file, run_command"));
}

#[test]
fn aliases_and_normalized_names_resolve_to_one_tool() {
    let toolbox = all().build().unwrap();
    for (name, tool) in [
        ("write_to_file", "write_file"),
        ("execute_command", "run_command"),
        ("READ_FILE", "read_file"),
        ("read-file", "read_file"),
        ("functions.read_file", "read_file"),
    ] {
        let checked = toolbox.check(&call(name, "{}")).ok().unwrap();
        assert_eq!(checked.name.as_str(), tool, "{name}");
    }
    for name in ["read", "read_file_", "file", "my.read_file"] {
        assert!(toolbox.check(&call(name, "{}")).is_err(), "{name}");
    }
}

// Correctness 21: a program that uses `known` gets the name of the tool that would run, and `None` if none
// would.
#[test]
fn callable_names_and_call_lookup_agree() {
    let toolbox = all().build().unwrap();
    let known = toolbox.callable_tools();
    assert_eq!(known.len(), NAMES.len(), "hidden tools are known too");
    let find = |name: &str| {
        let plain = name.strip_prefix("functions.").unwrap_or(name);
        let is_exact = |tool: &&CallableTool| tool.exact.iter().any(|exact| exact == plain);
        let form = ToolName::loose_form(plain);
        let found =
            known.iter().find(is_exact).or_else(|| known.iter().find(|tool| tool.loose.contains(&form)));
        found.map(|tool| tool.name.as_str().to_owned())
    };
    for name in
        ["write_to_file", "execute_command", "READ_FILE", "read-file", "functions.read_file", "read", "file"]
    {
        let checked = toolbox.check(&call(name, "{}")).ok().map(|checked| checked.name.to_string());
        assert_eq!(find(name), checked, "{name}");
    }
}

// N3: a similar name is resolved only if it matches exactly one tool.
#[test]
fn a_forgiving_name_that_fits_two_tools_fits_none() {
    let says = |name| fake(name, Concurrency::Parallel, Does::Says("x".into()));
    let toolbox = Toolbox::builder()
        .tools([says("a_b"), says("a-b")])
        .config(ToolConfig::new(Preset::Full))
        .build()
        .unwrap();
    assert_eq!(toolbox.check(&call("a_b", "{}")).ok().unwrap().name.as_str(), "a_b");
    assert!(toolbox.check(&call("A_B", "{}")).is_err());
}

// N7
#[test]
fn one_name_for_two_tools_is_an_error() {
    let says = |name| fake(name, Concurrency::Parallel, Does::Says("x".into()));
    let twice = Toolbox::builder().tools([says("a"), says("a")]).build();
    assert!(matches!(twice, Err(BuildError::DuplicateName { .. })));
    let clash = Toolbox::builder().tools([says("a"), says("b")]).alias("a", "b").build();
    assert!(matches!(clash, Err(BuildError::DuplicateName { .. })));
    let nowhere = Toolbox::builder().tool(says("a")).alias("x", "y").build();
    assert!(matches!(nowhere, Err(BuildError::UnknownTarget { .. })));
    let config = ToolConfig::default().with_tool("gone");
    assert!(matches!(Toolbox::builder().config(config).build(), Err(BuildError::UnknownConfigured { .. })));
}

// J10
#[test]
fn invalid_arguments_name_path_found_and_expected() {
    let toolbox = all().build().unwrap();
    let result = toolbox.check(&call("read_file", r#"{"n":"one","m":2}"#)).err().unwrap();
    assert_eq!(result.status, ResultStatus::InvalidArguments);
    let text = result.wire_text();
    assert!(text.contains(r#"/n: found the string "one", expected an integer"#), "{text}");
    assert!(text.contains("found the unknown `m`"), "{text}");
}

// J9
#[test]
fn arguments_are_coerced_before_policy_sees_them() {
    let toolbox = all().build().unwrap();
    let checked = toolbox.check(&call("read_file", r#"{"n":"12345678901234567890123"}"#)).ok().unwrap();
    assert_eq!(checked.call.arguments().unwrap().as_str(), r#"{"n":12345678901234567890123}"#);
    assert_eq!(checked.facts.payload, checked.call.payload, "policy decides about what runs");
    assert_eq!(checked.coerced.len(), 1);
    let as_written = toolbox.check(&call("read_file", r#"{ "n": 1.0 }"#)).ok().unwrap();
    assert_eq!(as_written.call.arguments().unwrap().as_str(), r#"{ "n": 1.0 }"#);
    assert!(as_written.coerced.is_empty());
    let omitted = toolbox.check(&call("read_file", r#"{"n":null}"#)).ok().unwrap();
    assert_eq!(omitted.call.arguments().unwrap().as_str(), "{}");
    for wrong in [r#"{"n":""}"#, r#"{"n":"one"}"#, r#"{"n":true}"#, r#"{"n":[1]}"#, r#"{"n":"1","m":2}"#] {
        let result = toolbox.check(&call("read_file", wrong)).err().unwrap();
        assert_eq!(result.status, ResultStatus::InvalidArguments, "{wrong}");
    }
}

// J9, L9: a value that coercion can convert is not refused while the arguments stream.
#[test]
fn an_argument_that_coercion_puts_right_is_not_refused_early() {
    let toolbox = all().build().unwrap();
    for (value, is_right) in
        [("\"12\"", true), ("null", true), ("12", true), ("\"one\"", false), ("true", false)]
    {
        let mut complete = EarlyArguments::default();
        complete.insert("n", serde_json::from_str(value).unwrap());
        let foreseen = toolbox.check_partial("read_file", &complete, "n");
        assert_eq!(foreseen.is_ok(), is_right, "{value}");
    }
}

#[test]
fn free_text_to_a_function_is_refused() {
    let toolbox = all().build().unwrap();
    let call = ToolCall::new(
        call("read_file", "{}").id,
        ToolName::new("read_file").unwrap(),
        Payload::Custom { input: "text".into() },
    );
    assert_eq!(toolbox.check(&call).err().unwrap().status, ResultStatus::InvalidArguments);
}

// SECURITY "Provider side", F16: the human must see the same value of an argument that the tool receives.
#[test]
fn a_key_twice_is_refused_where_something_changes() {
    let change = fake("change", Concurrency::Exclusive, Does::Says("x".into()));
    let toolbox = Toolbox::builder().tool(change).config(ToolConfig::new(Preset::Full)).build().unwrap();
    for (arguments, is_taken) in
        [(r#"{"n":1}"#, true), (r#"{"n":1,"n":2}"#, false), (r#"{"n":1,"\u006e":2}"#, false)]
    {
        let checked = toolbox.check(&call("change", arguments));
        assert_eq!(checked.is_ok(), is_taken, "{arguments}");
        let Err(result) = checked else { continue };
        assert!(result.wire_text().contains("a key twice"), "{}", result.wire_text());
    }
}
