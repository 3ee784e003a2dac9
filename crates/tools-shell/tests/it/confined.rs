//! `run_command` in the best confinement of this machine: the grants follow from the words of the command.

use std::fs;

use serde_json::json;
use windlass_protocol::ResultStatus;
use windlass_sandbox::{Helper, Level, Probe};
use windlass_testkit::{Need, require};
use windlass_tool::Tool;
use windlass_tools_shell::Shell;

use crate::scene::{Scene, namespaces, payload, probe};

#[track_caller]
fn check(scene: &Scene, command: &str, status: ResultStatus, expected: &str) {
    let (met, text) = scene.run(&json!({"command": command})).unwrap();
    assert_eq!(met, status, "{command}: {text}");
    assert!(text.contains(expected), "{command}: {text}");
}

const READ_ONLY: &str = "Read-only file system";

#[test]
fn the_first_line_names_the_level() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    assert_eq!(scene.text("echo hello"), "[exit code 0; sandbox: ns+landlock+seccomp]\nhello\n");
    assert!(scene.text("sleep 0 && kill -9 $$").starts_with("[exit code 137, as of signal 9; sandbox"));
    assert_eq!(scene.shell.level(), Level::Namespaces);
}

// Q3: `inspect` reports the level of confinement and its gaps before the call runs.
#[test]
fn the_containment_is_reported_before_the_call() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    scene.write(".env", "secret");
    let look = |shell: &Shell| {
        let mut scene = Scene::new();
        scene.shell = shell.clone();
        scene.write(".env", "secret");
        scene.tool().inspect(&payload(&json!({"command": "make"}))).containment.unwrap()
    };
    assert!(look(&scene.shell).is_full());
    let none = Probe::run(&Helper::new("/nowhere/helper"));
    assert_eq!(look(&Shell::new_confined(Helper::new("/nowhere/helper"), &none)).level, "none");
    let mut lower = probe().clone();
    lower.level = Level::Landlock;
    let seen = look(&Shell::new_confined(crate::scene::helper(), &lower));
    assert_eq!(seen.level, "landlock+seccomp");
    let gaps = seen.gaps.join("; ");
    assert!(gaps.contains("`.git` among them") && gaps.contains("secrets can be read"), "{gaps}");
}

#[test]
fn a_command_that_only_reads_finds_the_workspace_read_only() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    scene.write("a.txt", "text\n");
    // The lists do not know that a find could write; the mount does.
    check(&scene, "cat a.txt | head -n 1", ResultStatus::Ok, "text");
    check(&scene, "ls -A", ResultStatus::Ok, "\na.txt\n");
    check(&scene, "touch b.txt", ResultStatus::Ok, "");
    assert!(scene.work.join("b.txt").exists());
    check(&scene, "echo x > c.txt; rm b.txt", ResultStatus::Ok, "");
    assert_eq!(fs::read_dir(&scene.work).unwrap().count(), 2);
}

// SECURITY "run_command" 6
#[test]
fn git_writes_its_repository_only_with_a_declared_effect() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    scene.git(&["init", "-q"]);
    scene.write("a.txt", "text\n");
    fs::write(scene.home.join(".gitconfig"), "[user]\n\tname = Somebody\n\temail = some@body.test\n")
        .unwrap();
    check(&scene, "git add a.txt", ResultStatus::Ok, "");
    check(&scene, "git commit -q -m 'first one'", ResultStatus::Ok, "");
    check(&scene, "git log --format=%an:%ae:%s", ResultStatus::Ok, "Somebody:some@body.test:first one");
    check(&scene, "git status --short", ResultStatus::Ok, "[exit code 0");
    scene.write("a.txt", "more\n");
    check(&scene, "git add a.txt && git commit -q -m second", ResultStatus::Error, READ_ONLY);
    check(&scene, "git config core.pager evil", ResultStatus::Error, "");
    check(&scene, "git checkout a.txt", ResultStatus::Ok, "");
    assert_eq!(fs::read(scene.work.join("a.txt")).unwrap(), b"text\n");
    let config = fs::read_to_string(scene.work.join(".git/config")).unwrap();
    assert!(!config.contains("evil"));
    assert!(!scene.work.join(".claude").exists());
}

#[test]
fn workspace_secrets_and_run_state_are_not_visible() {
    require!(Need::Namespaces, namespaces());
    let mut scene = Scene::new();
    scene.write(".env", "KEY=secret");
    scene.write("state/journal", "secret");
    scene.shell = scene.shell.clone().with_never(scene.work.join("state"));
    for command in ["cat .env", "cat state/journal", "sh -c 'cat .env'", "cp .env b", "cat ../out/secret.txt"]
    {
        let text = scene.text(command);
        assert!(!text.contains("secret\n") && !text.starts_with("[exit code 0"), "{text}");
    }
    let home = scene.home.display().to_string();
    check(&scene, &format!("ls -A {home}; touch {home}/x"), ResultStatus::Ok, "");
    assert!(!scene.home.join("x").exists());
}

// A command never runs with less confinement than `inspect` described.
#[test]
fn commands_that_cannot_be_confined_do_not_run() {
    require!(Need::Namespaces, namespaces());
    let mut scene = Scene::new();
    std::os::unix::fs::symlink("/etc", scene.work.join(".claude")).unwrap();
    let error = scene.run(&json!({"command": "touch ran"})).unwrap_err();
    assert!(error.contains("nothing was run") && error.contains(".claude"), "{error}");
    fs::remove_file(scene.work.join(".claude")).unwrap();
    // The helper was removed in the meantime.
    scene.shell = Shell::new_confined(Helper::new("/bin/true"), probe());
    let error = scene.run(&json!({"command": "touch ran"})).unwrap_err();
    assert!(error.contains("nothing was run"), "{error}");
    assert!(!scene.work.join("ran").exists());
}

// SECURITY "Sandbox" C: files that cannot be protected are compared before and after the command.
#[test]
fn changed_files_that_decide_what_runs_later_are_reported() {
    let mut scene = Scene::new();
    scene.shell = Shell::new_unconfined();
    scene.write(".git/config", "[core]\n");
    let text = |command: &str| scene.run(&json!({"command": command})).unwrap().1;
    assert_eq!(text("echo x > a.txt; echo x > .git/index"), "[exit code 0; sandbox: none]");
    let told =
        text("echo x >> .git/config; mkdir -p .git/hooks sub/.vscode; touch .git/hooks/x sub/.vscode/y");
    let files = "3 files that decide what runs later have changed: .git/config, .git/hooks/x, sub/.vscode/y";
    assert_eq!(told, format!("[exit code 0; sandbox: none]\n[warning: {files}]"));
    require!(Need::Namespaces, namespaces());
    let confined = Scene::new();
    let told = confined.text("mkdir -p sub/.git; echo x > sub/.git/config; mkdir .claude; touch .envrc");
    assert!(
        told.contains("[warning: 1 files that decide what runs later have changed: sub/.git/config]"),
        "{told}"
    );
}

// security 20
#[test]
fn new_executable_and_setuid_modes_are_reported() {
    let mut scene = Scene::new();
    scene.write("old.sh", "");
    let set = |name: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(scene.work.join(name), permissions).unwrap();
    };
    set("old.sh", 0o777);
    let text = |scene: &Scene, command: &str| {
        // The kernel's times advance in steps, so a file from just before counts as new.
        std::thread::sleep(std::time::Duration::from_millis(30));
        scene.run(&json!({"command": command})).unwrap().1
    };
    let (confined, script) = (
        Need::Namespaces.check(namespaces()).is_some(),
        "mkdir -p target; cp /bin/true target/x; rm -f a b s p*; touch a b; chmod 700 a; chmod 666 b; cat old.sh",
    );
    for shell in [confined.then(|| scene.shell.clone()), Some(Shell::new_unconfined())].into_iter().flatten()
    {
        scene.shell = shell;
        let told = text(&scene, script);
        let lines: Vec<_> = told.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "[warning: 1 files that every user can write were made or changed: b]",
                "[note: 1 executable files were made or changed: a]"
            ],
            "{told}"
        );
        let told = text(
            &scene,
            "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do touch p$i; chmod +x p$i; done; rm -r target",
        );
        assert!(
            told.contains("[note: 12 executable files were made or changed: p1, p10, p11, p12, p2"),
            "{told}"
        );
        assert!(told.contains("p7, ...]"), "{told}");
        let told = text(&scene, "cp /bin/true s; chmod 4755 s; true");
        let is_told = told.contains("[warning: 1 setuid or setgid files were made or changed: s]");
        let is_set = fs::metadata(scene.work.join("s"))
            .is_ok_and(|found| std::os::unix::fs::MetadataExt::mode(&found) & 0o4000 != 0);
        let is_free = scene.shell.level() == Level::None;
        assert_eq!((is_told, is_set), (is_free, is_free), "{told}");
    }
}

// security 8: files with ordinary names form a repository, from which git would run a program.
#[test]
fn a_planted_repository_is_reported_and_not_trusted() {
    let mut scene = Scene::new();
    let plant = "mkdir -p docs/objects docs/refs; echo 'ref: refs/heads/main' > docs/HEAD; \
        printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch @CANARY@; false\\n' > docs/config";
    let plant = plant.replace("@CANARY@", scene.canary.to_str().unwrap());
    let confined = Need::Namespaces.check(namespaces()).is_some();
    for shell in [confined.then(|| scene.shell.clone()), Some(Shell::new_unconfined())].into_iter().flatten()
    {
        scene.shell = shell;
        let _ = fs::remove_dir_all(scene.work.join("docs"));
        let told = scene.run(&json!({"command": plant})).unwrap().1;
        assert!(told.contains("decide what runs later have changed: docs/config]"), "{told}");
        // A command that only reads runs without a question.
        for git in ["git status", "git diff", "git log"] {
            scene.run(&json!({"command": git, "cwd": "docs"})).unwrap();
        }
        assert!(!scene.canary.exists(), "{told}");
        // The files that decide about later runs are read-only once they exist.
        if confined && scene.shell.level() == Level::Namespaces {
            check(&scene, "echo x >> docs/config; touch docs/HEAD", ResultStatus::Ok, READ_ONLY);
        }
    }
}

// The level without namespaces keeps its own promises.
#[test]
fn without_namespaces_the_same_grants_hold() {
    let Probe { level, missing, .. } = probe();
    require!(Need::Landlock, (*level <= Level::Landlock).then_some(()).ok_or(format!("{missing:?}")));
    let mut lower = probe().clone();
    lower.level = Level::Landlock;
    let mut scene = Scene::new();
    scene.shell = Shell::new_confined(crate::scene::helper(), &lower).with_home(&scene.home);
    check(&scene, "echo $TMPDIR > a; touch $TMPDIR/x; cat a", ResultStatus::Ok, "sandbox: landlock+seccomp]");
    check(&scene, "cat ../out/secret.txt", ResultStatus::Error, "denied");
    check(&scene, "touch ../out/x", ResultStatus::Error, "denied");
    check(&scene, &format!("cat {}/.ssh/id_rsa", scene.home.display()), ResultStatus::Error, "denied");
    let mark = crate::scene::mark(30);
    check(&scene, &format!("setsid sleep {mark} & sleep 0.2; echo end"), ResultStatus::Ok, "end");
    crate::scene::assert_no(&mark);
}
