//! `windlass login NAME --browser` at an authority on this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::mcp_login::{serve, word};
use crate::program::{Place, text};

const KEY: &str = "sk-or-v1-created";

/// A place whose user knows the provider `office`. Its authority creates a key for the code `c-1`, and repeats the
/// challenge of the verifier that it got.
fn office() -> Place {
    let place = Place::new();
    let authority = serve(|_, path, body| {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        if path != "/keys" || body["code"] != "c-1" {
            return (403, String::new(), json!({"error": {"message": "no"}}).to_string());
        }
        let verifier = body["code_verifier"].as_str().unwrap_or_default();
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        (200, String::new(), json!({ "key": format!("{KEY}-{challenge}"), "user_id": null }).to_string())
    });
    let settings = place.folder.path().join("settings");
    fs::create_dir(&settings).unwrap();
    let row = format!(
        "[vendor.office]\nbase-url = \"{authority}/v1\"\nwire = \"openai-chat\"\nkey-env = \"OFFICE_KEY\"\n\
         sign-in = {{ page = \"{authority}/auth\", exchange = \"{authority}/keys\" }}\n"
    );
    fs::write(settings.join("providers.toml"), row).unwrap();
    place
}

/// Starts the command on a desktop. Returns the address that the command prints.
fn start(place: &Place, provider: &str) -> (Child, BufReader<std::process::ChildStderr>, String) {
    start_on(place, provider, &[("DISPLAY", ":7")])
}

/// Starts the command with a browser that only notes the address. Returns the address that the command prints.
fn start_on(
    place: &Place,
    provider: &str,
    desktop: &[(&str, &str)],
) -> (Child, BufReader<std::process::ChildStderr>, String) {
    let browser = place.folder.path().join("xdg-open");
    fs::write(&browser, "#!/bin/sh\nprintf %s \"$1\" > \"$0.address\"\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command: Command = place.command(&["login", provider, "--browser"]);
    command.env("PATH", place.folder.path()).env("WINDLASS_CONFIG_DIR", place.folder.path().join("settings"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"] {
        command.env_remove(name);
    }
    command.envs(desktop.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let (mut page, mut line) = (String::new(), String::new());
    while !page.starts_with("http://") && notes.read_line(&mut line).unwrap() > 0 {
        line.trim().clone_into(&mut page);
        line.clear();
    }
    (child, notes, page)
}

/// Returns the exit code and the rest of the notes.
fn wait(mut child: Child, mut notes: BufReader<std::process::ChildStderr>) -> (Option<i32>, String) {
    let mut rest = String::new();
    notes.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

fn stored(place: &Place) -> String {
    fs::read_to_string(place.folder.path().join("state/keys.json")).unwrap_or_default()
}

#[test]
fn the_browser_returns_and_the_key_is_stored() {
    let place = office();
    let (child, notes, page) = start(&place, "office");
    let back = word(&page, "callback_url");
    let (address, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(address.starts_with("localhost:"), "{back}");
    let mut stream = TcpStream::connect(address.replace("localhost", "127.0.0.1")).unwrap();
    write!(stream, "GET /{path}?code=c-1 HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut shown = String::new();
    stream.read_to_string(&mut shown).unwrap();
    assert!(shown.contains("You are signed in"), "{shown}");
    let (code, notes) = wait(child, notes);
    assert_eq!(code, Some(0), "{notes}");
    // The authority saw the verifier of the challenge on the page.
    assert_eq!(word(&page, "code_challenge_method"), "S256");
    assert!(stored(&place).contains(&format!("{KEY}-{}", word(&page, "code_challenge"))));
    assert!(!notes.contains(KEY), "{notes}");
    let opened = fs::read_to_string(place.folder.path().join("xdg-open.address")).unwrap();
    assert_eq!(opened, page);
}

#[test]
fn without_a_desktop_no_browser_is_started() {
    for (desktop, is_opened) in [(&[][..], false), (&[("WAYLAND_DISPLAY", "wayland-0")][..], true)] {
        let place = office();
        let (mut child, notes, page) = start_on(&place, "office", desktop);
        let line = format!("{}?code=c-1\n", word(&page, "callback_url"));
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let (code, notes) = wait(child, notes);
        assert_eq!(code, Some(0), "{notes}");
        assert_eq!(notes.contains("open the address by hand"), !is_opened, "{notes}");
        // The command does not wait for the browser.
        let opened = place.folder.path().join("xdg-open.address");
        for _ in 0..if is_opened { 500 } else { 10 } {
            if opened.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(opened.exists(), is_opened);
    }
}

#[test]
fn the_callback_url_of_another_browser_can_be_pasted() {
    let place = office();
    let (mut child, notes, page) = start(&place, "office");
    let line = format!("{}?code=c-1\n", word(&page, "callback_url"));
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    let (code, notes) = wait(child, notes);
    assert_eq!(code, Some(0), "{notes}");
    assert!(stored(&place).contains(KEY));
}

#[test]
fn a_refused_code_stores_no_key_and_is_not_repeated() {
    let place = office();
    let (mut child, notes, _) = start(&place, "office");
    child.stdin.take().unwrap().write_all(b"planted-code\n").unwrap();
    let (code, notes) = wait(child, notes);
    assert_eq!(code, Some(1));
    assert!(notes.contains("refused the code: status 403") && !notes.contains("planted-code"), "{notes}");
    assert_eq!(stored(&place), "");
}

#[test]
fn a_provider_without_a_sign_in_is_named() {
    let place = Place::new();
    let output = place.run(&["login", "anthropic", "--browser"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("anthropic has no sign-in in a browser"));
}
