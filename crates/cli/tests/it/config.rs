//! `windlass config`, `windlass trust`, and what runs take from `config.toml` and from instruction files.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::program::{Place, provider, text};

const DONE: &str = r#"{"turns": [{"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}],
        "fallback": "nothing"}"#;

/// A command with a folder of settings.
fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("WINDLASS_CONFIG_DIR", place.folder.path().join("settings"));
    command
}

/// Runs a command, and returns its exit code with its output.
#[track_caller]
fn run(place: &Place, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(place, arguments).output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[track_caller]
fn succeed(place: &Place, arguments: &[&str]) -> String {
    let (code, told) = run(place, arguments);
    assert_eq!(code, Some(0), "{told}");
    told
}

#[test]
fn settings_are_set_shown_with_their_source_and_removed() {
    let place = Place::new();
    succeed(&place, &["config", "set", "model", "gpt-5-mini"]);
    succeed(&place, &["config", "set", "budget.cost", "2.50", "--profile", "careful"]);
    let file = place.folder.path().join("settings/config.toml");
    assert!(succeed(&place, &["config", "path"]).contains(file.to_str().unwrap()));
    let listed = succeed(&place, &["config", "list", "--profile", "careful"]);
    assert!(listed.contains("model = gpt-5-mini  # ") && listed.contains("profile careful of "), "{listed}");
    let entry: Value = serde_json::from_str(&succeed(&place, &["config", "get", "model", "--json"])).unwrap();
    assert_eq!((&entry["value"], &entry["origin"]["source"]), (&"gpt-5-mini".into(), &"user".into()));
    let mut with_variable = command(&place, &["config", "get", "model"]);
    let output = with_variable.env("WINDLASS_MODEL", "other").output().unwrap();
    assert_eq!(text(&output.stdout), "model = other  # environment: WINDLASS_MODEL\n");
    let (code, told) = run(&place, &["config", "set", "modell", "x"]);
    assert!(code == Some(1) && told.contains("did you mean `model`?"), "{told}");
    succeed(&place, &["config", "unset", "model"]);
    assert!(!fs::read_to_string(&file).unwrap().contains("gpt-5-mini"));
}

#[test]
fn an_edited_file_is_checked() {
    let place = Place::new();
    let editor = place.folder.path().join("editor");
    fs::write(&editor, "#!/bin/sh\necho 'autonomi = \"auto\"' >> \"$1\"\n").unwrap();
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = command(&place, &["config", "edit"]).env("EDITOR", &editor).output().unwrap();
    let told = text(&output.stderr);
    assert!(!output.status.success() && told.contains("did you mean `autonomy`?"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_takes_its_defaults_and_options_take_precedence() {
    let (place, server) = (Place::new(), provider(DONE).await);
    let url = server.base_url();
    fs::create_dir(place.folder.path().join("settings")).unwrap();
    let config = format!(
        "base_url = \"{url}\"\nmodel = \"users\"\npreset = \"minimal\"\nuntil_done = true\n\
         [profiles.other]\nmodel = \"profiles\"\n"
    );
    fs::write(place.folder.path().join("settings/config.toml"), config).unwrap();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    let projects = "model = \"projects\"\nprovider = \"groq\"\n";
    fs::write(place.project().join(".windlass/config.toml"), projects).unwrap();
    let told = succeed(&place, &["run", "task", "--yes", "--mode", "code"]);
    assert!(told.contains("`provider` of") && told.contains("does not count"), "{told}");
    succeed(&place, &["run", "task", "--yes", "--mode", "code", "--profile", "other"]);
    succeed(&place, &["run", "task", "--yes", "--mode", "code", "--profile", "other", "--model", "options"]);
    succeed(&place, &["trust", "."]);
    succeed(&place, &["run", "task", "--yes", "--mode", "code"]);
    let models: Vec<String> =
        server.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect();
    assert_eq!(models, ["users", "profiles", "options", "projects"]);
    let (code, told) = run(&place, &["run", "task", "--profile", "nope"]);
    assert!(code == Some(1) && told.contains("the profile nope does not exist"), "{told}");
}

/// The system prompts of the requests that a server received.
fn prompts(server: &windlass_mock::ScriptedProvider) -> Vec<String> {
    let prompt = |body: &Value| body["messages"][0]["content"].to_string();
    server.requests().iter().map(|request| prompt(&request.body)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn instructions_reach_the_model_after_trust_and_stay_the_same_for_a_session() {
    let (place, server) = (Place::new(), provider(DONE).await);
    let url = server.base_url();
    fs::write(place.project().join("AGENTS.md"), "Speak like a pirate.\n").unwrap();
    let start = |more: &[&str]| {
        let base = ["run", "task", "--base-url", &url, "--model", "m", "--yes"];
        succeed(&place, &[&base, more].concat())
    };
    let told = start(&[]);
    assert!(told.contains("AGENTS.md is not used") && told.contains("windlass trust "), "{told}");
    let told = succeed(&place, &["trust", "show"]);
    assert!(told.contains("instructions: ") && told.contains("is not trusted"), "{told}");
    succeed(&place, &["trust"]);
    assert!(succeed(&place, &["trust", "list"]).contains("project"));
    assert!(succeed(&place, &["doctor"]).contains("AGENTS.md: 21 of 21 bytes"));
    let told = start(&["--append-system", "Be brief."]);
    assert!(told.contains("instructions: ") && told.contains("AGENTS.md (21 bytes)"), "{told}");
    fs::write(place.project().join("AGENTS.md"), "Speak like a sailor.\n").unwrap();
    succeed(&place, &["run", "more", "--continue", "last", "--yes"]);
    let told = start(&["--system", "Only this."]);
    assert!(told.contains("has changed since you trusted"), "{told}");
    let prompts = prompts(&server);
    assert!(!prompts[0].contains("pirate") && prompts[0].contains("- date: 20"), "{}", prompts[0]);
    assert!(prompts[0].contains("- git: no repository") && prompts[0].contains("- system: linux"));
    assert!(prompts[1].contains("pirate") && prompts[1].contains("Be brief."), "{}", prompts[1]);
    assert_eq!(prompts[1], prompts[2], "the next run of the session sends the same bytes");
    assert!(prompts[3].contains("Only this.") && !prompts[3].contains("careful coding agent"));
    assert!(prompts[3].contains("sailor") && prompts[3].contains("- date: "));
    succeed(&place, &["trust", "remove"]);
    assert!(succeed(&place, &["trust", "list"]).contains("no folder is trusted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_of_other_agents_count_in_a_trusted_folder() {
    let place = Place::new();
    for (folder, name) in [(".agents", "one"), (".claude", "two"), (".windlass", "three")] {
        let skill = place.project().join(folder).join("skills").join(name);
        fs::create_dir_all(&skill).unwrap();
        let text = format!("---\nname: {name}\ndescription: The skill {name}.\n---\nWords of {name}.\n");
        fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let call = |name: &str| run(&place, &["tool", "call", "skill", &format!("{{\"skill\":\"{name}\"}}")]);
    for name in ["one", "two", "three"] {
        assert!(!call(name).1.contains("Words of"), "{name}");
    }
    succeed(&place, &["trust"]);
    for name in ["one", "two", "three"] {
        let told = call(name).1;
        assert!(told.contains(&format!("Words of {name}.")), "{told}");
    }
}

#[test]
fn skills_of_the_home_folder_are_the_users_unless_the_workspace_contains_them() {
    let place = Place::new();
    let home = place.folder.path().join("home");
    for (folder, name) in [(".agents", "one"), (".claude", "two")] {
        let skill = home.join(folder).join("skills").join(name);
        fs::create_dir_all(&skill).unwrap();
        let text = format!("---\nname: {name}\ndescription: The skill {name}.\n---\nWords of {name}.\n");
        fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    for name in ["one", "two"] {
        let call = |root: &str| {
            let arguments = format!("{{\"skill\":\"{name}\"}}");
            let mut call = place.command(&["tool", "call", "skill", &arguments, "--root", root]);
            text(&call.env("HOME", &home).output().unwrap().stdout)
        };
        assert!(call(".").contains(&format!("Words of {name}.")), "{name}");
        assert!(!call(home.to_str().unwrap()).contains("Words of"), "{name}");
    }
}

/// True for each request that had a key.
fn has_key(server: &windlass_mock::ScriptedProvider) -> Vec<bool> {
    let named = |headers: &[(String, String)]| headers.iter().any(|(name, _)| name == "authorization");
    server.requests().iter().map(|request| named(&request.headers)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_comes_from_a_command_or_a_sign_in_and_is_never_printed() {
    const KEY: &str = "sk-planted-0123456789abcdef";
    let (place, server) = (Place::new(), provider(DONE).await);
    let settings = place.folder.path().join("settings");
    fs::create_dir(&settings).unwrap();
    let start = |told: &mut String| {
        let mut run = command(
            &place,
            &["run", "say nothing", "--yes", "--model", "m", "--provider", "openai", "--wire", "openai-chat"],
        );
        let output = run.env("OPENAI_BASE_URL", server.base_url()).output().unwrap();
        told.push_str(&(text(&output.stdout) + &text(&output.stderr)));
        output.status.success()
    };
    let mut told = String::new();
    assert!(start(&mut told) && has_key(&server) == [false]);
    // A command: it runs once, without a shell.
    let printed = place.folder.path().join("printed");
    let script = format!("#!/bin/sh\necho ran >> {}\necho {KEY}\necho {KEY} >&2\n", printed.display());
    let program = place.folder.path().join("manager");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[providers.openai]\nkey-command = [{:?}, \"read\"]\n", program.to_str().unwrap());
    fs::write(settings.join("config.toml"), config).unwrap();
    assert!(start(&mut told) && has_key(&server) == [false, true], "{told}");
    assert_eq!(fs::read_to_string(&printed).unwrap().lines().count(), 1);
    assert!(succeed(&place, &["models"]).contains("key from a command"));
    // A command that fails is an error without its output.
    fs::write(&program, format!("#!/bin/sh\necho {KEY} >&2\necho {KEY}\nexit 3\n")).unwrap();
    assert!(!start(&mut told) && told.contains("the command for the key of openai"), "{told}");
    // A sign-in.
    fs::remove_file(settings.join("config.toml")).unwrap();
    let mut login = command(&place, &["login", "openai"]);
    login.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let output = crate::program::output_with_input(login, &format!("{KEY}\n"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    told.push_str(&text(&output.stderr));
    let file = place.folder.path().join("state/keys.json");
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777,
        0o600
    );
    assert!(start(&mut told) && has_key(&server).last() == Some(&true), "{told}");
    succeed(&place, &["logout", "openai"]);
    assert!(run(&place, &["logout", "openai"]).1.contains("no key of openai is stored"));
    assert!(run(&place, &["login", "opena"]).1.contains("unknown provider opena"));
    assert!(!told.contains(KEY), "{told}");
    let mut open = vec![place.folder.path().join("state")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{}", entry.path().display());
            }
        }
    }
}

/// Writes a client of a keyring that stores one key in a file, and fails while `locked` exists.
#[cfg(target_os = "linux")]
fn write_keyring(place: &Place) -> std::path::PathBuf {
    let bin = place.folder.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = r#"#!/bin/sh
here=$(dirname "$0")
[ -e "$here/locked" ] && { echo "the keyring is locked" >&2; exit 1; }
echo "$@" >> "$here/words"
case "$1" in
  store) cat > "$here/key" ;;
  lookup) [ -e "$here/key" ] && cat "$here/key" ;;
  clear) rm "$here/key" ;;
esac
"#;
    fs::write(bin.join("secret-tool"), script).unwrap();
    fs::set_permissions(bin.join("secret-tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    bin
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_the_keyring_is_used_and_is_in_no_argument_and_no_file() {
    const KEY: &str = "sk-planted-0123456789abcdef";
    let (place, server) = (Place::new(), provider(DONE).await);
    let bin = write_keyring(&place);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let start = |arguments: &[&str], input: &str| {
        let mut program = command(&place, arguments);
        program.env("PATH", &path).env("OPENAI_BASE_URL", server.base_url());
        program.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        program.stderr(std::process::Stdio::piped());
        let output = crate::program::output_with_input(program, input);
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    let run =
        ["run", "say nothing", "--yes", "--model", "m", "--provider", "openai", "--wire", "openai-chat"];
    // A key in the file is replaced by the one in the keyring.
    assert!(start(&["login", "openai"], "sk-earlier-key\n").0);
    let (is_stored, told) = start(&["login", "openai", "--keyring"], &format!("{KEY}\n"));
    assert!(is_stored && told.contains("stored in the keyring") && !told.contains(KEY), "{told}");
    assert_eq!(fs::read_to_string(bin.join("key")).unwrap(), KEY);
    let stored = fs::read_to_string(place.folder.path().join("state/keys.json")).unwrap();
    assert!(stored.contains("openai") && !stored.contains("sk-"), "{stored}");
    assert!(start(&["models"], "").1.contains("key from the keyring"));
    let (is_done, told) = start(&run, "");
    assert!(is_done && has_key(&server) == [true] && !told.contains(KEY), "{told}");
    let words = fs::read_to_string(bin.join("words")).unwrap();
    assert_eq!(words.lines().filter(|line| line.starts_with("lookup")).count(), 1, "{words}");
    assert!(words.contains("service windlass provider openai") && !words.contains(KEY), "{words}");
    // A locked keyring is an error; a key in the environment needs none.
    fs::write(bin.join("locked"), "").unwrap();
    let (is_done, told) = start(&run, "");
    assert!(!is_done && told.contains("the key of openai in the keyring"), "{told}");
    assert!(!start(&["login", "openai", "--keyring"], KEY).0);
    fs::remove_file(bin.join("locked")).unwrap();
    assert!(start(&["logout", "openai"], "").0 && !bin.join("key").exists());
    assert!(start(&["logout", "openai"], "").1.contains("no key of openai is stored"));
    // Without the client program, the error names it.
    fs::remove_file(bin.join("secret-tool")).unwrap();
    let mut program = command(&place, &["login", "openai", "--keyring"]);
    program.env("PATH", &bin).stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let output = crate::program::output_with_input(program, KEY);
    let told = text(&output.stderr);
    assert!(!output.status.success() && told.contains("secret-tool cannot be started"), "{told}");
}
