//! Tools from files, from outside.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails, and writes files"
)]

mod growth;
#[cfg(target_os = "linux")]
mod hostile;
mod process;
mod process_life;
mod serving;

use std::error::Error;
use std::sync::Arc;

use windlass_protocol::{Arguments, CallId, Effect, Payload, ResultStatus, Risk};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Output, Tool, ToolError};
use windlass_tools_dynamic::{FolderOwner, LoadedTools, load};
use windlass_tools_shell::Shell;

fn loaded(files: &[(&str, &str)], owner: FolderOwner) -> (tempfile::TempDir, LoadedTools) {
    let folder = write_files(files);
    let loaded = load_from(&folder, owner);
    (folder, loaded)
}

/// Creates a folder with a project and a folder of these tools.
fn write_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (project, tools) = (folder.path().join("project"), folder.path().join("tools"));
    std::fs::create_dir(&project).unwrap();
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(project.join("a.txt"), "one\ntwo\n").unwrap();
    for (name, text) in files {
        std::fs::write(tools.join(name), text).unwrap();
    }
    folder
}

/// Loads the tools of a folder of `write_files`.
fn load_from(folder: &tempfile::TempDir, owner: FolderOwner) -> LoadedTools {
    let workspace = Arc::new(Workspace::open(folder.path().join("project")).unwrap());
    load(&folder.path().join("tools"), owner, &workspace, &Shell::new_unconfined()).unwrap()
}

const CAT: &str = "description = \"Shows files.\"\nargv = [\"cat\", \"--\", \"{paths}\"]\n\
    [schema]\nrequired = [\"paths\"]\n[schema.properties.paths]\ntype = \"array\"\nitems = { type = \"string\" }\n";

fn payload(arguments: &str) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments).unwrap() }
}

async fn call(tool: &Arc<dyn Tool>, arguments: &str) -> Result<Output, ToolError> {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    tool.call(&ctx, &payload(arguments)).await
}

#[tokio::test]
async fn a_tool_file_declares_its_command_as_an_effect_and_runs_it() {
    let (folder, loaded) = loaded(&[("show.toml", CAT), ("notes.md", "no tool")], FolderOwner::User);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let [tool] = loaded.tools.as_slice() else { unreachable!("one file is a tool") };
    assert_eq!((tool.spec().name().as_str(), tool.hints().risk), ("show", Risk::High));
    let effects = tool.effects(&payload(r#"{"paths":["a.txt"]}"#));
    assert!(
        matches!(&effects[..], [Effect::Execute { command, .. }] if command == "cat -- a.txt"),
        "{effects:?}"
    );
    let output = call(tool, r#"{"paths":["a.txt"]}"#).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok);
    assert!(format!("{:?}", output.content).contains("one\\ntwo"), "{:?}", output.content);
    // Shell syntax in an argument has no meaning.
    let output = call(tool, r#"{"paths":["a.txt; echo broken > b.txt"]}"#).await.unwrap();
    assert_eq!(output.status, ResultStatus::Error);
    assert!(!folder.path().join("project/b.txt").exists());
    assert_eq!(tool.effects(&payload(r#"{"paths":[{}]}"#)), [Effect::Unknown]);
}

// N5: one bad file does not affect others, and is reported with its name and key.
#[test]
fn errors_of_a_tool_file_name_the_file_and_the_key() {
    let check = |text: &str, owner: FolderOwner, parts: &[&str]| {
        let (_folder, loaded) = loaded(&[("bad.toml", text), ("good.toml", CAT)], owner);
        assert_eq!(loaded.tools.len(), 1, "the good one is there");
        let refused = &loaded.problems[0];
        let mut told = refused.to_string();
        let mut source = refused.source();
        while let Some(cause) = source {
            told = format!("{told}: {cause}");
            source = cause.source();
        }
        for part in parts.iter().chain(&["bad.toml"]) {
            assert!(told.contains(part), "{part:?} is not in {told}");
        }
    };
    let (user, project) = (FolderOwner::User, FolderOwner::Project);
    check(
        "description = \"x\"\nargv = [\"ls\"]\ncommand = \"ls\"",
        user,
        &["unknown field `command`", "line 3"],
    );
    check("argv = [\"ls\"]", user, &["missing field `description`"]);
    check("description = \"x\"\nargv = [\"ls\", \"{a}\"]", user, &["key argv", "does not name a property"]);
    check("description = \"x\"\nargv = [\"ls\"]\nschema = \"{\"", user, &["key schema"]);
    check(
        "description = \"x\"\nargv = [\"ls\"]\nschema = { type = \"array\" }",
        user,
        &["key schema", "object"],
    );
    check("description = \" \"\nargv = [\"ls\"]", user, &["key description"]);
    check("description = \"x\"\nargv = [\"ls\"]\nrisk = \"low\"", project, &["key risk", "user's own"]);
    check("description = \"x\"\nargv = [\"ls\"]\nread_only = true", project, &["key read_only"]);
    let process = |more: &str| format!("[process]\nargv = [\"x\"]\n{more}");
    check(&process("shell = true"), user, &["unknown field `shell`"]);
    check(&format!("description = \"x\"\n{}", process("")), user, &["unknown field `description`"]);
    check("[process]\nargv = []", user, &["key process.argv"]);
    check(&process("list_timeout_ms = 60001"), user, &["key process.list_timeout_ms", "60000"]);
    check(&process("call_timeout_ms = 0"), user, &["key process.call_timeout_ms"]);
    check(&process("risk = \"low\""), project, &["key risk", "user's own"]);
    check(&process("read_only = true"), project, &["key read_only"]);
    check(&process("unconfined = true"), project, &["key process.unconfined", "user's own"]);
    check(&format!("description = \"{}\"", "x".repeat(70_000)), user, &["more than"]);
}

#[test]
fn only_a_users_file_lowers_the_risk() {
    let low = "description = \"x\"\nargv = [\"ls\"]\nrisk = \"low\"\nread_only = true\n";
    let (_folder, loaded) = loaded(&[("look.toml", low)], FolderOwner::User);
    let hints = loaded.tools[0].hints();
    assert!(hints.read_only && hints.risk == Risk::Low);
}
