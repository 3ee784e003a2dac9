//! The grants of a command in a workspace on this machine.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{Access, CommandGrants, Level, Repository, programs_of};

use crate::levels::{apart, helper};

struct Scene {
    folder: TempDir,
    home: PathBuf,
    work: PathBuf,
}

/// A home with tools and keys, and in it a workspace with a repository and secrets.
fn scene() -> Scene {
    let folder = tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    let work = home.join("src/project");
    let files = [
        ("home/.ssh/id_rsa", "key"),
        ("home/.cargo/bin/tool", "#!/bin/sh\necho tool\n"),
        ("home/.cargo/credentials.toml", "token"),
        ("home/.bashrc", ""),
        ("home/state/policy.toml", "policy"),
        ("home/src/project/.git/config", "[core]\n"),
        ("home/src/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/src/project/.env", "secret"),
        ("home/src/project/.env.example", "sample"),
        ("home/src/project/deep/tls.key", "secret"),
        ("home/src/project/deep/credentials.rs", "code"),
        ("home/src/project/sub/.vscode/settings.json", "{}"),
        ("home/src/project/state/journal", "journal"),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    symlink("deep/tls.key", work.join("server.pem")).unwrap();
    Scene { folder, home, work }
}

impl Scene {
    fn grants(&self) -> CommandGrants {
        CommandGrants::new(&self.work).with_home(&self.home).with_never(self.work.join("state"))
    }
}

fn run(level: Level, grants: &CommandGrants, work: &Path, script: &str) -> Output {
    let granted = grants.look();
    assert_eq!(granted.gaps, [""; 0]);
    let confinement = granted.confinement;
    let mut command = confinement.command(level, &helper(), work, "/bin/sh", ["-c", script]);
    command.stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn check(level: Level, grants: &CommandGrants, scene: &Scene, allowed: &[&str], refused: &[&str]) {
    for script in allowed {
        let output = run(level, grants, &scene.work, script);
        assert!(output.status.success(), "{script}: {output:?}");
    }
    for script in refused {
        let output = run(level, grants, &scene.work, script);
        let code = output.status.code().unwrap();
        assert!(code != 0 && code < 125, "{script}: {output:?}");
    }
}

#[test]
fn the_workspace_is_writable_except_for_protected_paths() {
    for level in apart() {
        let scene = scene();
        let home = scene.home.display();
        let allowed = [
            "echo x > new && rm new",
            "cat .env.example deep/credentials.rs .git/HEAD",
            &format!("sh {home}/.cargo/bin/tool"),
            &format!("touch {home}/cache"),
            "echo x > /tmp/x",
        ];
        let refused = [
            "cat .env",
            "cat deep/tls.key",
            "cat server.pem",
            "cat state/journal",
            "echo x > .git/HEAD",
            "mv .git git",
            "mkdir .claude",
            "echo x > .mcp.json",
            "mkdir .vscode/x",
            "echo x > sub/.vscode/settings.json",
            &format!("cat {home}/.ssh/id_rsa"),
            &format!("cat {home}/.bashrc"),
            &format!("cat {home}/state/policy.toml"),
            &format!("cat {home}/.cargo/credentials.toml"),
            &format!("echo x > {home}/.cargo/bin/tool"),
            "cat /etc/shadow",
        ];
        check(level, &scene.grants(), &scene, &allowed, &refused);
        assert!(!scene.home.join("cache").exists());
        let left: Vec<_> =
            fs::read_dir(&scene.work).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 7, "{left:?}");
        drop(scene.folder);
    }
}

// security 25
#[test]
fn tokens_of_registries_and_hashes_of_the_machine_are_not_read() {
    let settings = |text: &str| format!("[build]\njobs = 2\n{text}\n");
    let tokens = [
        "[registries.own]\ntoken = \"abc\"",
        "registry.token = 'abc'",
        "[registries]\nown = { index = \"https://x.test\", token = \"abc\" }",
        "[registries.own]\nindex = \"https://me:word@x.test/index\"",
    ];
    for level in apart() {
        let scene = scene();
        let home = scene.home.display();
        let file = scene.home.join(".cargo/config.toml");
        let read = format!("cat {home}/.cargo/config.toml");
        for text in ["", "# token = \"abc\"", "[registry]\nglobal-credential-providers = [\"cargo:token\"]"] {
            fs::write(&file, settings(text)).unwrap();
            check(level, &scene.grants(), &scene, &[&read], &[]);
        }
        for text in tokens {
            fs::write(&file, settings(text)).unwrap();
            check(level, &scene.grants(), &scene, &["true"], &[&read]);
        }
        // Replace a program by a link to it.
        fs::rename(&file, scene.home.join(".cargo/bin/x")).unwrap();
        symlink("bin/x", &file).unwrap();
        check(level, &scene.grants(), &scene, &["true"], &[&read, &format!("cat {home}/.cargo/bin/x")]);
        // Files that only root may read are not readable, even if root runs this test.
        let closed = "find /etc -type f ! -perm -o=r -readable ! -path /etc/passwd ! -path /etc/group 2>/dev/null | grep .";
        check(level, &scene.grants(), &scene, &["cat /etc/passwd", "ls /etc/security"], &[closed]);
    }
}

#[test]
fn a_command_that_reads_cannot_write() {
    for level in apart() {
        let scene = scene();
        let grants = scene.grants().with_access(Access::ReadOnly);
        let refused =
            ["touch new", "echo x > deep/credentials.rs", "rm -r sub", "cat .env", "touch .git/index.lock"];
        check(level, &grants, &scene, &["cat deep/credentials.rs", "touch /tmp/x", "ls -A"], &refused);
        // A read-only folder needs no placeholder.
        let output = run(level, &grants, &scene.work, "ls -A");
        assert!(!String::from_utf8_lossy(&output.stdout).contains(".claude"), "{output:?}");
    }
}

#[test]
fn an_open_repository_keeps_what_runs_programs() {
    for level in apart() {
        let scene = scene();
        let grants = scene.grants().with_repository(Repository::Open);
        let allowed = ["echo x > .git/index.lock && mv .git/index.lock .git/index"];
        let refused = [
            "echo x > .git/config",
            "mkdir .git/hooks/x",
            "echo x > .git/hooks/pre-commit",
            "rm .git/config",
            "mv .git git && mkdir .git",
            "mv .git/config .git/other",
        ];
        check(level, &grants, &scene, &allowed, &refused);
        assert!(!scene.work.join(".git/hooks").exists());
    }
}

// A `.git` file in the workspace gives access to a repository outside only if that repository names this work tree.
#[test]
fn a_linked_worktree_is_trusted_only_if_its_repository_agrees() {
    for level in apart() {
        let scene = scene();
        let main = scene.home.join("main/.git");
        let own = main.join("worktrees/project");
        fs::create_dir_all(&own).unwrap();
        fs::write(main.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::remove_dir_all(scene.work.join(".git")).unwrap();
        fs::write(scene.work.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        let read = format!("cat {}/HEAD", main.display());
        check(level, &scene.grants(), &scene, &[], &[&read]);
        fs::write(own.join("gitdir"), format!("{}/.git\n", scene.work.display())).unwrap();
        check(level, &scene.grants(), &scene, &[&read], &[&format!("echo x > {}/HEAD", main.display())]);
        // A folder of keys is not a repository.
        fs::write(scene.work.join(".git"), format!("gitdir: {}/.ssh\n", scene.home.display())).unwrap();
        check(level, &scene.grants(), &scene, &[], &["cat ../../.ssh/id_rsa"]);
    }
}

#[test]
fn program_folders_are_absolute_and_outside_the_workspace() {
    let scene = scene();
    symlink(&scene.work, scene.home.join("link")).unwrap();
    let inside = scene.work.join("sub");
    let path =
        format!(".::bin:{}:{}/link:/usr/bin:/nowhere:/:/usr/bin", inside.display(), scene.home.display());
    assert_eq!(programs_of(path.as_ref(), &scene.work), [PathBuf::from("/usr/bin")]);
}

// The folder of a user's program is in the folder of the user's settings, whose other content is hidden.
#[test]
fn only_the_programs_folder_of_a_hidden_folder_is_visible() {
    for level in apart() {
        let scene = scene();
        let state = scene.home.join("state");
        fs::create_dir_all(state.join("tools/deep")).unwrap();
        fs::create_dir_all(state.join("other")).unwrap();
        fs::write(state.join("tools/serve"), "program").unwrap();
        let grants = CommandGrants::new(&scene.work).with_home(&scene.home).with_never(&state);
        let script = "cat ../../state/tools/serve; cat ../../state/policy.toml; ls ../../state/other; cat ~/.ssh/id_rsa; echo x > ../../state/tools/x; ls ../../state";
        let output = run(level, &grants.clone().with_program(state.join("tools")), &scene.work, script);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "programtools\n", "{output:?}");
        assert!(!state.join("tools/x").exists());
        // The home folder itself is not a program's folder.
        let output = run(level, &grants.with_program(&scene.home), &scene.work, "cat ../../.ssh/id_rsa");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}
