//! Modes: their tools, their restrictions, and their descriptions (L11, N1).

use std::sync::Arc;

use windlass_protocol::{
    Concurrency, Control, Effect, Hints, Payload, ResultStatus, Target, TargetKind, ToolName, ToolSpec,
};
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolFuture};
use windlass_tool_args::read_arguments;
use windlass_toolbox::{
    Availability, CallbackTool, FilePattern, ModeError, ModeOwner, Preset, RefusalCause, ToolConfig,
    ToolGroup, Toolbox, WorkMode, WorkModes,
};

use crate::fake::{Does, call, fake};

/// A tool whose arguments state its effects: the paths that it writes, and their targets.
struct Says {
    spec: ToolSpec,
    hints: Hints,
}

#[derive(serde::Deserialize)]
struct Paths {
    #[serde(default)]
    writes: Vec<String>,
    #[serde(default)]
    deletes: Vec<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    executes: bool,
    #[serde(default)]
    unknown: bool,
    #[serde(default)]
    leads_to: Option<String>,
}

pub(crate) fn says(name: &str, hints: Hints) -> Arc<dyn Tool> {
    let spec =
        ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", r#"{"type":"object"}"#.parse().unwrap());
    Arc::new(Says { spec, hints })
}

impl Tool for Says {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        let paths: Paths = read_arguments(payload).unwrap();
        let writes = paths.writes.into_iter().map(|path| Effect::Write { path, bytes: None });
        let deletes = paths.deletes.into_iter().map(|path| Effect::Delete { path });
        let reads = paths.reads.into_iter().map(|path| Effect::Read { path });
        let executes = paths.executes.then(|| Effect::Execute { command: "x".into(), directory: ".".into() });
        let unknown = paths.unknown.then_some(Effect::Unknown);
        writes.chain(deletes).chain(reads).chain(executes).chain(unknown).collect()
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let path = complete.get("writes").and_then(|paths| paths.get(0)).and_then(|path| path.as_str());
        path.map(|path| Effect::Write { path: path.to_owned(), bytes: None }).into_iter().collect()
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let paths: Paths = read_arguments(payload).unwrap();
        let Some(resolved) = paths.leads_to else { return Inspection::default() };
        paths.writes.iter().fold(Inspection::default(), |seen, path| {
            let target =
                Target { resolved: resolved.clone(), kind: TargetKind::File, ..Target::missing(path) };
            seen.with_target(target)
        })
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Ok(Output::text("ran")) })
    }
}

const NAMES: &[&str] = &[
    "read_file",
    "write_file",
    "apply_patch",
    "generate_image",
    "run_command",
    "web_fetch",
    "switch_mode",
    "new_task",
];

fn toolbox() -> Toolbox {
    let hints = |name: &str| if name == "read_file" { Hints::read_only() } else { Hints::default() };
    Toolbox::builder()
        .tools(NAMES.iter().map(|name| says(name, hints(name))))
        .modes(WorkModes::builtin())
        .config(ToolConfig::new(Preset::Full).with_feature("image_generation"))
        .with_known_aliases()
        .build()
        .unwrap()
}

fn offered(toolbox: &Toolbox) -> Vec<String> {
    toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect()
}

#[test]
fn each_mode_offers_its_groups_and_what_is_always_there() {
    let toolbox = toolbox();
    let check = |mode: &str, expected: &[&str]| {
        assert_eq!(offered(&toolbox.in_mode(mode).unwrap()), expected, "{mode}");
    };
    let edits =
        ["read_file", "write_file", "apply_patch", "generate_image", "web_fetch", "switch_mode", "new_task"];
    check("architect", &edits);
    check("code", NAMES);
    check("debug", NAMES);
    check("ask", &["read_file", "web_fetch", "switch_mode", "new_task"]);
    check("orchestrator", &["switch_mode", "new_task"]);
    assert_eq!(offered(&toolbox), NAMES, "without a mode everything is there");
    let error = toolbox.in_mode("poet").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown mode poet; the modes are: architect, code, ask, debug, orchestrator"
    );
}

// N1: the name of a hidden tool is recognized, and the error states the mode that has it.
#[test]
fn a_call_to_a_tool_outside_the_mode_names_the_modes_that_have_it() {
    let ask = toolbox().in_mode("ask").unwrap();
    for name in ["write_file", "write_to_file", "WRITE-FILE", "functions.write_file"] {
        let result = ask.check(&call(name, "{}")).err().unwrap();
        assert_eq!(result.status, ResultStatus::Denied, "{name}");
        let text = result.wire_text();
        assert!(text.contains("write_file was not run: it belongs to the group edit"), "{text}");
        assert!(text.contains("the mode Ask (ask)") && text.contains("architect, code, debug"), "{text}");
        assert!(text.contains("switch_mode"), "{text}");
    }
    assert_eq!(ask.availability("write_file"), Some(Availability::NotInMode));
}

// L11, H6: the pattern applies to every path of a call, also to removed paths and to the targets of links.
#[test]
fn a_pattern_of_files_holds_for_every_path_of_a_call() {
    let toolbox = toolbox().in_mode("architect").unwrap();
    let check = |name: &str, arguments: &str, refused: Option<&str>| {
        let seen = toolbox.check(&call(name, arguments)).and_then(|checked| toolbox.inspect(checked));
        match (seen, refused) {
            (Ok(_), None) => {}
            (Err(result), Some(file)) => {
                let text = result.wire_text();
                assert_eq!(result.status, ResultStatus::Denied);
                for part in ["Architect (architect)", r"\.md$", file] {
                    assert!(text.contains(part), "{part:?} is not in {text}");
                }
            }
            (Ok(_), Some(file)) => unreachable!("{name} {arguments} may write {file}"),
            (Err(result), None) => unreachable!("{name} {arguments}: {}", result.wire_text()),
        }
    };
    check("write_file", r#"{"writes":["a.md"]}"#, None);
    check("write_file", r#"{"writes":["a.rs"]}"#, Some("a.rs"));
    check("write_file", r#"{"writes":["a.md.rs"]}"#, Some("a.md.rs"));
    check("apply_patch", r#"{"writes":["a.md","b.rs"]}"#, Some("b.rs"));
    // A move removes one path and writes another.
    check("apply_patch", r#"{"deletes":["a.rs"],"writes":["a.md"]}"#, Some("a.rs"));
    check("apply_patch", r#"{"deletes":["a.md"],"writes":["b.md"]}"#, None);
    check("generate_image", r#"{"writes":["out.png"]}"#, Some("out.png"));
    check("read_file", r#"{"reads":["a.rs"]}"#, None);
    // A tool of another group that writes is held by the same pattern.
    check("web_fetch", r#"{"writes":["page.html"]}"#, Some("page.html"));
    // The target of a link counts, not only its name.
    check("write_file", r#"{"writes":["a.md"],"leads_to":"src/a.rs"}"#, Some("src/a.rs"));
    check("write_file", r#"{"writes":["a.md"],"leads_to":"docs/a.md"}"#, None);
    // The paths that a call would touch must be certain.
    check("apply_patch", r#"{"unknown":true,"writes":["a.md"]}"#, Some("does not name clearly"));
    check("apply_patch", "{}", Some("does not name clearly"));
}

#[test]
fn a_mode_without_edit_lets_nothing_write_but_commands() {
    let modes = WorkModes::default()
        .with_mode(WorkMode::new("run", "Run", "You run.").with_group(ToolGroup::Command));
    let tools = ["run_command", "deploy"].map(|name| says(name, Hints::default()));
    let toolbox =
        Toolbox::builder().tools(tools).modes(modes).config(ToolConfig::new(Preset::Full)).build().unwrap();
    let toolbox = toolbox.in_mode("run").unwrap();
    assert!(toolbox.check(&call("run_command", r#"{"executes":true,"writes":[".git"]}"#)).is_ok());
    let refused = toolbox.check(&call("deploy", r#"{"writes":["a"]}"#)).err().unwrap();
    assert!(refused.wire_text().contains("this mode changes no files"), "{}", refused.wire_text());
}

#[test]
fn paths_outside_the_pattern_are_refused_while_they_stream() {
    let toolbox = toolbox().in_mode("architect").unwrap();
    let mut complete = EarlyArguments::default();
    complete.insert("writes", serde_json::json!(["a.rs"]));
    let refusal = toolbox.check_partial("write_file", &complete, "writes").unwrap_err();
    assert_eq!((refusal.status, refusal.cause), (ResultStatus::Denied, RefusalCause::Mode));
    assert!(
        toolbox.check_partial("write_file", &EarlyArguments::default(), "x").is_ok(),
        "nothing is told yet"
    );
    let hidden = toolbox.check_partial("run_command", &EarlyArguments::default(), "x").unwrap_err();
    assert_eq!(hidden.cause, RefusalCause::Mode);
}

// L11: a call that was checked before the mode changed does not run in the new one.
#[tokio::test]
async fn the_check_is_made_again_when_a_call_runs() {
    let toolbox = toolbox();
    let code = toolbox.in_mode("code").unwrap();
    let checked = code.check(&call("write_file", r#"{"writes":["a.rs"]}"#)).ok().unwrap();
    let ctx = Context::new(checked.call.id.clone());
    assert_eq!(code.run(&checked, &ctx).await.unwrap().status, ResultStatus::Ok);
    for mode in ["architect", "ask", "orchestrator"] {
        let result = toolbox.in_mode(mode).unwrap().run(&checked, &ctx).await.unwrap();
        assert_eq!(result.status, ResultStatus::Denied, "{mode}: {}", result.wire_text());
    }
}

#[test]
fn in_a_mode_the_control_tools_are_offered_in_every_preset() {
    let names =
        ["read_file", "switch_mode", "attempt_completion", "ask_followup_question", "update_todo_list"];
    let tools = names.map(|name| fake(name, Concurrency::Parallel, Does::Says("x".into())));
    let builder = Toolbox::builder().tools(tools).modes(WorkModes::builtin());
    let toolbox = builder.config(ToolConfig::new(Preset::Minimal)).build().unwrap();
    assert_eq!(offered(&toolbox), ["read_file"]);
    assert_eq!(offered(&toolbox.in_mode("ask").unwrap()), names);
    assert_eq!(offered(&toolbox.in_mode("orchestrator").unwrap()), names.get(1..).unwrap());
}

#[test]
fn switch_mode_waits_for_modes() {
    let tool = fake("switch_mode", Concurrency::Exclusive, Does::Says("x".into()));
    let toolbox = Toolbox::builder().tool(tool).build().unwrap();
    assert!(matches!(toolbox.availability("switch_mode"), Some(Availability::Unavailable { .. })));
}

#[test]
fn a_file_of_modes_adds_and_a_users_may_replace() {
    let file = |slug: &str, groups: &str| {
        format!("[[mode]]\nslug = \"{slug}\"\nname = \"N\"\nrole = \"R\"\ngroups = [{groups}]\n")
    };
    let builtin = WorkModes::builtin();
    let user = builtin.clone().with_file(&file("ask", r#""read", "edit""#), ModeOwner::User).unwrap();
    assert!(user.get("ask").unwrap().gives(ToolGroup::Edit));
    assert_eq!(user.iter().count(), 5);
    let project =
        builtin.clone().with_file(&file("ask", r#""read", "edit""#), ModeOwner::Project).unwrap_err();
    assert!(project.to_string().contains(r#"slug "ask""#), "{project}");
    let added = builtin
        .with_file(&file("docs", r#"{ group = "edit", file_regex = '\.md$' }, "modes""#), ModeOwner::Project);
    assert!(added.unwrap().get("docs").unwrap().files(ToolGroup::Edit).unwrap().has("x.md"));
    let groups = r#"{ group = "read", file_regex = '\.md$' }, { group = "edit", file_regex = '\.rs$' }"#;
    let both = WorkModes::builtin().with_file(&file("both", groups), ModeOwner::User).unwrap();
    let prompt = both.get("both").unwrap().prompt();
    assert!(prompt.contains(r"group read read only") && prompt.contains("group edit write only"), "{prompt}");
}

#[test]
fn errors_of_a_mode_file_name_the_key() {
    let check = |text: &str, parts: &[&str]| {
        let error = WorkModes::builtin().with_file(text, ModeOwner::User).unwrap_err();
        let mut told = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            told = format!("{told}: {cause}");
            source = cause.source();
        }
        for part in parts {
            assert!(told.contains(part), "{part:?} is not in {told}");
        }
    };
    let mode = |more: &str| format!("[[mode]]\nslug = \"x\"\nname = \"X\"\nrole = \"R\"\n{more}\n");
    check(&mode("groups = []\nrule = 1"), &["unknown field `rule`", "line 6"]);
    check(&mode(r#"groups = ["reed"]"#), &["unknown variant `reed`", "line 5"]);
    check(&mode(r#"groups = [{ group = "edit", file_regexp = "x" }]"#), &["unknown field `file_regexp`"]);
    check(
        &mode(r#"groups = [{ group = "edit", file_regex = "(" }]"#),
        &[r#"mode "x""#, "group edit", "file_regex"],
    );
    check(
        &mode(r#"groups = [{ group = "edit", file_regex = "(x{1000}){1000}" }]"#),
        &["file_regex", "size limit"],
    );
    check(&mode(r#"groups = [{ group = "command", file_regex = "x" }]"#), &["group command", "file_regex"]);
    check(&mode(""), &["missing field `groups`"]);
    check(&mode("groups = []").replace("\"x\"", "\"X y\""), &["slug", "X y"]);
    check(&mode("groups = []").replace("\"R\"", "\" \""), &[r#"mode "x""#, "role"]);
    check(&mode("groups = []").repeat(2), &["two modes"]);
    check("[mode]\nslug = 1", &["line 1"]);
    assert!(FilePattern::new(&"a".repeat(1_001)).is_err());
}

#[test]
fn every_invalid_pattern_that_a_later_entry_replaces_is_reported() {
    let entry = |group: &str, pattern: &str| format!(r#"{{ group = "{group}", file_regex = '{pattern}' }}"#);
    let report = |groups: &[String]| {
        let text =
            format!("[[mode]]\nslug = \"x\"\nname = \"X\"\nrole = \"R\"\ngroups = [{}]\n", groups.join(", "));
        let modes = WorkModes::builtin().with_file(&text, ModeOwner::User).unwrap();
        let describe = |error: &ModeError| {
            let source = std::error::Error::source(error).map(ToString::to_string);
            format!("{error}: {}", source.unwrap_or_default())
        };
        modes.replaced_errors().iter().map(describe).collect::<Vec<_>>()
    };
    let (valid, big) = (entry("edit", "a"), entry("edit", "(x{1000}){1000}"));
    assert!(report(&[valid.clone(), big, valid.clone()]).is_empty());
    let groups =
        [entry("edit", "("), entry("edit", r"\p{No}{"), valid, entry("read", "["), "\"read\"".into()];
    let found = report(&groups);
    assert_eq!(found.len(), 3, "{found:?}");
    for (text, (group, pattern)) in found.iter().zip([("edit", "("), ("edit", r"\p{No}{"), ("read", "[")]) {
        let parts = [r#"mode "x""#.to_owned(), format!("group {group}"), format!("{pattern:?} is refused")];
        assert!(parts.iter().all(|part| text.contains(part.as_str())), "{text}");
    }
    let found = report(&[
        entry("command", "a"),
        "\"command\"".into(),
        entry("read", &"a".repeat(1_001)),
        "\"read\"".into(),
    ]);
    assert!(
        found.len() == 2 && found[0].contains("read and edit only") && found[1].contains("1001 bytes"),
        "{found:?}"
    );
}

// A tool that belongs to one run, and checks its arguments itself.
#[test]
fn a_tool_of_one_run_is_in_every_mode_and_not_passed_on() {
    let answer = CallbackTool::new(
        ToolSpec::function(
            ToolName::new("answer").unwrap(),
            "Takes the answer.",
            r#"{"type":"object","required":["n"]}"#.parse().unwrap(),
        ),
        |_, _| async { Ok(Output::text("fine")) },
    )
    .with_hints(Hints { control: Control::Answer, ..Hints::default() });
    let answer: Arc<dyn Tool> = Arc::new(answer);
    let toolbox = Toolbox::builder().modes(WorkModes::builtin()).build().unwrap();
    let narrow = toolbox.only(["other".to_owned()]);
    for toolbox in [toolbox.clone(), toolbox.in_mode("ask").unwrap(), narrow] {
        let own = toolbox.with_unvalidated_tool(Arc::clone(&answer)).unwrap();
        assert!(own.check(&call("answer", "{}")).is_ok(), "the tool checks its arguments");
        assert!(!toolbox.names().iter().any(|(name, _)| name.as_str() == "answer"));
        let child = own.for_agent();
        assert_eq!(child.availability("answer"), Some(Availability::NotForAgent));
        assert!(own.with_unvalidated_tool(Arc::clone(&answer)).is_err(), "the name is taken");
    }
}
