//! Valid content of a file, and the errors for mistakes in it.

use std::path::Path;

use super::super::bound::BoundFiles;
use super::super::description::digest;
use super::super::entry::{ApprovalRule, LifecycleRule, ServerEntry};
use super::{parse, parse_whole};

#[track_caller]
fn check_refused(toml: &str, words: &str) {
    let error = crate::error::one_line(&parse(toml).unwrap_err());
    assert!(error.contains(words), "{error}");
}

#[test]
fn everything_that_a_server_may_have_is_read() {
    let servers = parse(
        "[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"files\"]\nenv = { A = \"1\" }\nenv_vars = [\"B\"]\ncwd = \"sub\"\n\
         startup_timeout_sec = 5\nlifecycle = \"discover\"\ntool_timeout_sec = 2.5\nenabled_tools = [\"read\"]\ndisabled_tools = [\"write\"]\n\
         required = true\nenabled = false\napproval = \"always\"\n[mcp_servers.files.tools.read]\napproval = \"never\"\n\
         [mcp_servers.\"web.1\"]\nurl = \"https://x/mcp\"\nbearer_token_env_var = \"T\"\nhttp_headers = { X = \"1\" }\n",
    )
    .unwrap();
    let files = &servers["files"];
    assert_eq!((files.startup_timeout_sec, files.tool_timeout_sec), (Some(5.0), Some(2.5)));
    assert_eq!(files.lifecycle, Some(LifecycleRule::Discover));
    assert_eq!(files.approval, Some(ApprovalRule::Always));
    assert_eq!(files.tools["read"].approval, Some(ApprovalRule::Never));
    assert!(files.required && !files.enabled && servers["web.1"].enabled);
    assert_eq!(files.words(), "A=… B=… npx -y files");
    assert!(parse("").unwrap().is_empty());
}

// RULES M2: errors name the key
#[test]
fn an_unknown_key_is_named_with_a_suggestion() {
    check_refused("[mcp_server.x]\ncommand = \"x\"", "no key `mcp_server`; did you mean `mcp_servers`?");
    check_refused(
        "[mcp_servers.x]\ncomand = \"x\"",
        "[mcp_servers.x] has no key `comand`; did you mean `command`?",
    );
    check_refused(
        "[mcp_servers.x]\ncommand = \"x\"\ntool-timeout-sec = 1",
        "did you mean `tool_timeout_sec`?",
    );
    check_refused(
        "[mcp_servers.x]\ncommand = \"x\"\nzzz = 1",
        "has no key `zzz`; the keys are command, args",
    );
    check_refused(
        "[mcp_servers.x]\ncommand = \"x\"\n[mcp_servers.x.tools.y]\naproval = \"never\"",
        "[mcp_servers.x.tools.y] has no key `aproval`; did you mean `approval`?",
    );
}

#[test]
fn contradictory_settings_are_refused() {
    check_refused("[mcp_servers.x]\nargs = []", "neither `command` nor `url`");
    check_refused("[mcp_servers.x]\ncommand = \"x\"\nurl = \"https://x\"", "it has both `command` and `url`");
    check_refused("[mcp_servers.x]\nurl = \"https://x\"\nenv = { A = \"1\" }", "it has `env` with `url`");
    check_refused("[mcp_servers.x]\ncommand = \"x\"\nbearer_token_env_var = \"T\"", "with `command`");
    check_refused(
        "[mcp_servers.x]\ncommand = \"x\"\ntool_timeout_sec = 0",
        "`tool_timeout_sec` is not between",
    );
    check_refused("[mcp_servers.x]\ncommand = \"x\"\napproval = \"maybe\"", "[mcp_servers.x] cannot be read");
    check_refused("mcp_servers = 1", "`mcp_servers` is not a table");
    check_refused("[mcp_servers]\nx = 1", "[mcp_servers.x] is not a table");
}

// H11
#[test]
fn an_approval_covers_one_entry_in_one_folder() {
    let one = parse("[mcp_servers.x]\ncommand = \"x\"\nenv = { A = \"1\" }").unwrap().remove("x").unwrap();
    let of = |entry: &ServerEntry, name: &str, root: &str| {
        let root = Path::new(root);
        digest(name, entry, root, &BoundFiles::find(entry, root).unwrap()).unwrap()
    };
    let digest = of(&one, "x", "/a");
    assert_eq!(of(&one.clone(), "x", "/a"), digest);
    assert_ne!(of(&one, "x", "/b"), digest);
    assert_ne!(of(&one, "y", "/a"), digest);
    for other in [
        "command = \"x\"\nenv = { A = \"2\" }",
        "command = \"x\"",
        "command = \"x\"\nenv = { A = \"1\" }\nargs = [\"y\"]",
        "command = \"x\"\nenv = { A = \"1\" }\nsandbox = \"off\"",
    ] {
        let other = parse(&format!("[mcp_servers.x]\n{other}")).unwrap().remove("x").unwrap();
        assert_ne!(of(&other, "x", "/a"), digest, "{other:?}");
    }
}

#[test]
fn learning_is_switched_on_by_one_key() {
    assert!(!parse_whole("").unwrap().learns);
    assert!(parse_whole("[learning]\nenabled = true\n[mcp_servers.x]\ncommand = \"x\"").unwrap().learns);
    check_refused("[learning]\nenable = true", "did you mean `learning.enabled`?");
    check_refused("[learning]\nenabled = 1", "it is not true or false");
}
