//! `execute_code`: code that runs, resources that it cannot reach, and refusals.

use serde_json::json;
use windlass_protocol::{Effect, ResultStatus, Risk};
use windlass_testkit::{Need, require};
use windlass_tool::Tool;
use windlass_tools_shell::{ExecuteCode, Shell};

use crate::scene::{Met, SECRET, Scene, assert_no, call, context, mark, namespaces, payload};

fn run(scene: &Scene, language: &str, code: &str) -> Met {
    let tool = ExecuteCode::new(scene.shell.clone());
    call(&tool, &context(&scene.folder), &json!({"language": language, "code": code, "timeout_ms": 20_000}))
}

fn has(program: &str) -> bool {
    ["/usr/bin", "/usr/local/bin", "/bin"]
        .iter()
        .any(|folder| std::path::Path::new(folder).join(program).exists())
}

#[track_caller]
fn python(scene: &Scene, code: &str) -> String {
    let (_, text) = run(scene, "python", code).unwrap();
    assert!(text.contains("sandbox: ns+landlock+seccomp"), "{text}");
    text
}

#[test]
fn code_runs_and_keeps_nothing() {
    require!(Need::Namespaces, namespaces());
    require!(Need::Python, has("python3"));
    let scene = Scene::new();
    let text = python(&scene, "import os\nopen('x','w').write('y')\nprint(os.listdir('.'), 6 * 7)");
    assert!(
        text.starts_with("[exit code 0; sandbox: ns+landlock+seccomp]\n") && text.contains(" 42"),
        "{text}"
    );
    let text =
        python(&scene, "import os, sys\nprint(os.path.exists('x'), sys.flags.isolated)\nraise SystemExit(3)");
    assert!(text.starts_with("[exit code 3;") && text.contains("False 1"), "{text}");
    if Need::Node.check(has("node")).is_some() {
        let (status, text) = run(&scene, "javascript", "console.log([1, 2].map(x => x * 2).join())").unwrap();
        assert_eq!((status, text.ends_with("\n2,4\n")), (ResultStatus::Ok, true), "{text}");
    }
}

#[test]
fn exc_003_no_file_of_the_user_is_visible() {
    require!(Need::Namespaces, namespaces());
    require!(Need::Python, has("python3"));
    let scene = Scene::new();
    scene.write("a.txt", SECRET);
    for path in [scene.home.join(".ssh/id_rsa"), scene.work.join("a.txt"), scene.work.clone()] {
        let text =
            python(&scene, &format!("import os\nprint(os.listdir('/'))\nprint(open({path:?}).read())"));
        assert!(!text.contains(SECRET) && text.contains("Error"), "{text}");
    }
}

#[test]
fn exc_005_and_007_no_namespace_and_no_socket_is_made() {
    require!(Need::Namespaces, namespaces());
    require!(Need::Python, has("python3"));
    let scene = Scene::new();
    let text = python(
        &scene,
        "import ctypes\nprint(ctypes.CDLL(None, use_errno=True).unshare(0x10000000), ctypes.get_errno())",
    );
    assert!(text.contains("-1 1"), "{text}");
    for family in ["40, 1", "2, 1", "10, 1", "1, 1", "16, 3"] {
        let text = python(&scene, &format!("import socket\nprint(socket.socket({family}))"));
        assert!(text.contains("Error"), "{family}: {text}");
    }
}

// EXC-009: without the sandbox no code runs.
#[test]
fn code_is_refused_where_nothing_confines_it() {
    let mut scene = Scene::new();
    scene.shell = Shell::new_unconfined();
    let error = run(&scene, "python", "open('/tmp/windlass-ran', 'w')").unwrap_err();
    assert!(error.contains("nothing was run"), "{error}");
    let tool = ExecuteCode::new(scene.shell.clone());
    let given = payload(&json!({"language": "python", "code": "1"}));
    assert!(!tool.inspect(&given).containment.unwrap().is_full());
    assert_eq!(tool.hints().risk, Risk::High);
    let effect = Effect::Execute { command: "python3 -I -B main.py".into(), directory: ".".into() };
    assert_eq!(tool.effects(&given), [effect]);
}

// RES, Q1
#[test]
fn code_is_limited_and_all_its_processes_end() {
    require!(Need::Namespaces, namespaces());
    require!(Need::Python, has("python3"));
    let scene = Scene::new();
    assert!(python(&scene, "a = bytearray(3 * 2**30)").contains("MemoryError"));
    let text = python(&scene, "f = open('x', 'wb')\nfor _ in range(400): f.write(bytes(2**20))");
    assert!(!text.starts_with("[exit code 0"), "{text}");
    let mark = mark(50);
    python(&scene, &format!("import subprocess\nsubprocess.Popen(['setsid', 'sleep', '{mark}'])"));
    assert_no(&mark);
}
