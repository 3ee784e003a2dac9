//! For any configuration, mode and change during a run: a tool that is not offered never runs, and a path
//! outside of a mode's pattern is never written, whatever name and form a call has (L11, N1, H6).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use windlass_protocol::{Arguments, CallId, Effect, Hints, Payload, ToolCall, ToolName, ToolSpec};
use windlass_tool::{Context, EarlyArguments, Output, Tool};
use windlass_toolbox::{
    CallbackTool, CheckedCall, DynamicTools, FilePattern, Identity, Preset, ToolConfig, ToolGroup, Toolbox,
    WorkMode, WorkModes,
};

use crate::fake::BuiltIn;

const NAMES: &[&str] = &[
    "read_file",
    "write_file",
    "edit_file",
    "apply_patch",
    "generate_image",
    "run_command",
    "web_fetch",
    "switch_mode",
    "attempt_completion",
    "odd.name",
];
const LATE: &[&str] = &["late_one", "late_two"];
const PATHS: &[&str] = &["a.md", "b.rs", "docs/c.md", "docs/d.md.rs", "e"];

/// The executed calls: the tool, and the paths that it wrote.
type Log = Arc<Mutex<Vec<(String, Vec<String>)>>>;

fn paths(payload: &Payload) -> Vec<String> {
    let text = match payload {
        Payload::Custom { input } => input.clone(),
        other => {
            other.as_arguments().get("paths").and_then(|paths| paths.as_str()).unwrap_or_default().to_owned()
        }
    };
    text.split(' ').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn tool(name: &str, log: &Log) -> Arc<dyn Tool> {
    let schema = r#"{"type":"object","properties":{"paths":{"type":"string"},"argv":{"type":"array"},"cwd":{"type":"string"}}}"#;
    let named = ToolName::new(name).unwrap();
    let spec = match name {
        "apply_patch" => ToolSpec::Freeform { name: named, description: "Patches.".into(), grammar: None },
        _ => ToolSpec::function(named, "A tool.", schema.parse().unwrap()),
    };
    let (log, own) = (log.clone(), name.to_owned());
    let tool = CallbackTool::new(spec, move |_, payload| {
        log.lock().unwrap().push((own.clone(), paths(&payload)));
        async { Ok(Output::text("ran")) }
    });
    let is_command = name == "run_command";
    let hints = if name.starts_with("read") { Hints::read_only() } else { Hints::default() };
    Arc::new(BuiltIn(Arc::new(tool.with_hints(hints).with_effects(move |payload| {
        if is_command {
            return vec![Effect::Execute { command: "x".into(), directory: ".".into() }];
        }
        // A move declares both of its paths.
        let written = paths(payload).into_iter().enumerate();
        written
            .map(
                |(at, path)| {
                    if at % 2 == 0 { Effect::Write { path, bytes: None } } else { Effect::Delete { path } }
                },
            )
            .collect()
    }))))
}

#[derive(Clone, Debug)]
struct Setup {
    preset: Preset,
    additional: Vec<&'static str>,
    disabled: Vec<&'static str>,
    rename: Option<&'static str>,
    has_feature: bool,
    model: Option<&'static str>,
    groups: Vec<(ToolGroup, bool)>,
}

#[derive(Clone, Debug)]
enum Step {
    Add(usize),
    Remove(usize),
    Mode(usize),
    /// A turn begins, and the dynamic tools are refreshed.
    Turn,
    Call {
        name: String,
        form: usize,
        paths: Vec<&'static str>,
    },
    /// A call that was checked earlier runs now.
    RunLate,
}

fn setups() -> impl Strategy<Value = Setup> {
    let some = || proptest::sample::subsequence(NAMES.to_vec(), 0..4);
    let groups = proptest::sample::subsequence(ToolGroup::ALL.to_vec(), 0..=6);
    let groups = groups.prop_flat_map(|groups| {
        let patterns = proptest::collection::vec(any::<bool>(), groups.len());
        (Just(groups), patterns).prop_map(|(groups, patterns)| groups.into_iter().zip(patterns).collect())
    });
    (
        prop_oneof![Just(Preset::Minimal), Just(Preset::Standard), Just(Preset::Full)],
        some(),
        some(),
        proptest::option::of(prop_oneof![Just("search_replace"), Just("edit")]),
        any::<bool>(),
        proptest::option::of(prop_oneof![Just("gpt-5"), Just("claude-x"), Just("grok-code-fast-1")]),
        groups,
    )
        .prop_map(|(preset, additional, disabled, rename, has_feature, model, groups)| Setup {
            preset,
            additional,
            disabled,
            rename,
            has_feature,
            model,
            groups,
        })
}

fn names() -> impl Strategy<Value = String> {
    let known: Vec<&str> = NAMES
        .iter()
        .chain(LATE)
        .copied()
        .chain([
            "edit",
            "search_replace",
            "shell",
            "local_shell",
            "write_to_file",
            "create_file",
            "mcp__files__read",
            "odd_name",
            "nothing",
        ])
        .collect();
    (proptest::sample::select(known), 0..4_usize).prop_map(|(name, form)| match form {
        0 => name.to_uppercase(),
        1 => name.replace('_', "-"),
        2 => format!("functions.{name}"),
        _ => name.to_owned(),
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let paths = proptest::sample::subsequence(PATHS.to_vec(), 0..=3);
    let step = prop_oneof![
        1 => (0..LATE.len()).prop_map(Step::Add),
        1 => (0..LATE.len()).prop_map(Step::Remove),
        1 => (0..7_usize).prop_map(Step::Mode),
        1 => Just(Step::Turn),
        1 => Just(Step::RunLate),
        8 => (names(), 0..5_usize, paths).prop_map(|(name, form, paths)| Step::Call { name, form, paths }),
    ];
    proptest::collection::vec(step, 1..30)
}

fn payload(form: usize, name: &str, paths: &[&str]) -> Payload {
    let arguments = Arguments::parse(serde_json::json!({ "paths": paths.join(" ") }).to_string()).unwrap();
    match form {
        0 => Payload::Custom { input: paths.join(" ") },
        1 => Payload::Mcp { server: "files".into(), tool: "read".into(), arguments },
        2 => Payload::Mcp { server: "own".into(), tool: name.into(), arguments },
        3 => Payload::LocalShell { command: vec!["x".into()], working_directory: None, timeout_ms: None },
        _ => Payload::Function { arguments },
    }
}

fn modes(groups: &[(ToolGroup, bool)]) -> WorkModes {
    let mine = groups.iter().fold(WorkMode::new("mine", "Mine", "You."), |mode, (group, has_pattern)| {
        let is_filed = *has_pattern && matches!(group, ToolGroup::Edit | ToolGroup::Read);
        if is_filed {
            mode.with_files(*group, FilePattern::new(r"\.md$").unwrap())
        } else {
            mode.with_group(*group)
        }
    });
    WorkModes::builtin().with_mode(mine)
}

fn toolbox(setup: &Setup, log: &Log, dynamic: &DynamicTools) -> Toolbox {
    let mut config = ToolConfig::new(setup.preset).with_gate("generate_image", "image_generation");
    config = setup.additional.iter().fold(config, |config, name| config.with_tool(*name));
    config = setup.disabled.iter().fold(config, |config, name| config.remove_tool(*name));
    if let Some(shown) = setup.rename {
        config = config.renaming("edit_file", shown);
    }
    if setup.has_feature {
        config = config.with_feature("image_generation");
    }
    let remote = Identity::mcp("files", "read");
    let builder = Toolbox::builder()
        .tools(NAMES.iter().map(|name| tool(name, log)))
        .tool_as(remote.clone(), tool(remote.name().as_str(), log))
        .with_known_aliases()
        .modes(modes(&setup.groups))
        .dynamic(dynamic.clone())
        .config(config);
    match setup.model {
        Some(model) => builder.model(model),
        None => builder,
    }
    .build()
    .unwrap()
}

/// The registered names of the offered tools.
fn offered(toolbox: &Toolbox) -> BTreeSet<String> {
    let registered = |shown: &ToolName| toolbox.names().find(shown.as_str()).unwrap().to_string();
    toolbox.tool_specs().iter().map(|(spec, _)| registered(spec.name())).collect()
}

/// Checks that each executed tool was offered and that its paths are permitted in the mode.
fn check_ran(toolbox: &Toolbox, removed: &BTreeSet<&str>, ran: &[(String, Vec<String>)]) {
    for (name, paths) in ran {
        assert!(offered(toolbox).contains(name), "{name} ran, and was not offered in {:?}", toolbox.mode());
        assert!(!removed.contains(name.as_str()), "{name} ran, and was removed");
        let Some(mode) = toolbox.mode().filter(|_| name != "run_command") else { continue };
        let pattern = mode.files(ToolGroup::Edit);
        assert!(paths.is_empty() || mode.gives(ToolGroup::Edit), "{name} wrote in {}", mode.slug);
        for path in paths {
            assert!(pattern.is_none_or(|files| files.has(path)), "{name} wrote {path} in {}", mode.slug);
        }
    }
}

async fn play(setup: &Setup, steps: &[Step]) -> usize {
    let (log, dynamic) = (Log::default(), DynamicTools::default());
    let mut toolbox = toolbox(setup, &log, &dynamic);
    let mut removed = BTreeSet::new();
    let mut kept: Option<CheckedCall> = None;
    let mut runs = 0;
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Add(which) => {
                if dynamic.add(tool(LATE[*which], &log)).is_ok() {
                    removed.remove(LATE[*which]);
                }
            }
            Step::Remove(which) => {
                dynamic.remove(LATE[*which]);
                removed.insert(LATE[*which]);
            }
            Step::Mode(which) => {
                let slug = ["architect", "code", "ask", "debug", "orchestrator", "mine", "mine"][*which];
                toolbox = toolbox.in_mode(slug).unwrap();
            }
            Step::Turn => toolbox = toolbox.refresh(),
            Step::RunLate => {
                if let Some(checked) = &kept {
                    let _ = toolbox.run(checked, &Context::new(checked.call.id.clone())).await;
                }
            }
            Step::Call { name, form, paths } => {
                let id = CallId::new(format!("call_{at}")).unwrap();
                let call =
                    ToolCall::new(id, ToolName::new(name.as_str()).unwrap(), payload(*form, name, paths));
                let _ = toolbox.route(&call);
                let _ = toolbox.check_partial(name, &EarlyArguments::default(), "x");
                if let Ok(checked) = toolbox.check(&call).and_then(|checked| toolbox.inspect(checked)) {
                    let _ = toolbox.run(&checked, &Context::new(checked.call.id.clone())).await;
                    kept = Some(checked);
                }
            }
        }
        let ran = std::mem::take(&mut *log.lock().unwrap());
        check_ran(&toolbox, &removed, &ran);
        runs += ran.len();
    }
    runs
}

#[test]
fn tools_that_are_not_offered_never_run_and_modes_never_write_outside_their_groups() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runs = std::cell::Cell::new(0);
    let cases = ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(cases, |(setup in setups(), steps in steps())| {
        runs.set(runs.get() + runtime.block_on(play(&setup, &steps)));
    });
    assert!(runs.get() > 1_000, "only {} calls ran at all: nothing was tried", runs.get());
}
