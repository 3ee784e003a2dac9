//! Twenty secrets are planted, and a real run reads each of them: none is in a file that the run leaves, in
//! its output, or in a request to the model (I6, SEC-005, SEC-007, SEC-009).

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use serde_json::json;

use crate::program::{Place, provider, text};

/// The place and value of each secret. Each has its own number and its own prefix.
const ENVIRONMENT: [(&str, &str); 15] = [
    ("OPENAI_API_KEY", "sk-planted-provider-000001"),
    ("ANTHROPIC_API_KEY", "sk-ant-planted+000002"),
    ("GITHUB_TOKEN", "ghp_PlantedToken000003"),
    ("AWS_SECRET_ACCESS_KEY", "pla/nted+aws000004=="),
    ("DB_PASSWORD", "pass \"word\" 000005"),
    ("MAIL_PASSWD", "back\\slash\\planted 000006"),
    ("SIGNING_KEY", "-----BEGIN KEY-----\nplantedpemlineonexx\nplantedpemlinetwo000007\n-----END KEY-----"),
    ("WIFI_PASSPHRASE", "größe-geheim-000008"),
    ("SERVICE_CREDENTIALS", r#"{"id":"planted-000009","n":[1,2]}"#),
    ("DATABASE_URL", "postgres://me:planted-db-000010@db:5432/x"),
    ("BROKER", "amqp://a:planted-mq-000011@mq"),
    ("SESSION_SECRET", "f00dfeed000012"),
    ("npm_token", "npm_planted_000013"),
    ("SMTP_PASSWORD", "<planted>&000014"),
    // The key of a provider that the user defined, under a name without a hint.
    ("CORP", "corp-planted-000015"),
];

const DOT_ENV: &str = "# the project's own\nSTRIPE_KEY=sk_live_planted000016\nexport JWT_SECRET=\"planted jwt 000017\"\n\
                       REDIS_URL=redis://:planted-redis-000018@r\n";
const DOT_ENV_LOCAL: &str = "APP_TOKEN='planted-app-000019'\nPAY_KEY=planted-pay-000020 # a comment\n";

/// The text that may be replaced where a secret appears: the value itself, without the address around it.
fn secrets() -> Vec<String> {
    let bare = |value: &str| match value.rsplit_once('@') {
        Some((before, _)) => before.rsplit_once(':').map_or(before, |(_, password)| password).to_owned(),
        None => value.to_owned(),
    };
    let of_files =
        ["sk_live_planted000016", "planted jwt 000017", "planted-redis-000018", "planted-app-000019"];
    let environment = ENVIRONMENT.iter().map(|(_, value)| bare(value));
    environment.chain(of_files.map(str::to_owned)).chain(["planted-pay-000020".to_owned()]).collect()
}

fn hex(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn percent(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        let _ = if byte.is_ascii_alphanumeric() {
            write!(text, "{}", char::from(byte))
        } else {
            write!(text, "%{byte:02X}")
        };
        text
    })
}

fn base64(value: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in value.as_bytes().chunks(3) {
        let bits =
            three.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..=three.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// The secrets that the model of the script writes itself. The script cannot know them; a recording contains
/// their stream cut into deltas, which a search of the bytes does not join.
const OWN_WORDS: [usize; 7] = [1, 2, 3, 4, 5, 7, 11];

/// Every form that must be nowhere, and the beginnings and ends that a cut could leave.
fn forbidden(is_recording: bool) -> Vec<String> {
    let mut forms = secrets();
    for (at, secret) in secrets().into_iter().enumerate() {
        if is_recording && OWN_WORDS.contains(&at) {
            continue;
        }
        let escaped = json!(secret).to_string();
        // The last letter of base64 and the letter before the value depend on the text beside them.
        let encoded = base64(&secret);
        forms.extend([hex(&secret), percent(&secret), encoded[..encoded.len() - 1].to_owned()]);
        forms.extend([escaped.trim_matches('"').to_owned(), format!("{:06}", at + 1)]);
        forms.push(secret.chars().take(secret.chars().count() * 3 / 4).collect());
    }
    forms
}

#[track_caller]
fn check(what: &str, text: &str) {
    // The address belongs to the run, so that the run can resume; only that one file has it.
    let is_address = what.ends_with("settings.json");
    assert!(is_address || !text.contains("planted-url"), "the address's password is in {what}: {text}");
    for form in forbidden(what.ends_with("record.jsonl")) {
        assert!(!text.contains(&form), "{form:?} is in {what}: {text}");
    }
}

/// Everything below a folder, except the planted files.
fn check_files(folder: &Path, planted: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap();
        if path == planted {
            continue;
        }
        if kind.is_dir() {
            check_files(&path, planted);
        } else {
            check(&path.display().to_string(), &text(&std::fs::read(&path).unwrap()));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let others = kind.permissions().mode() & 0o077;
            assert_eq!(others, 0, "others can reach {}", path.display());
        }
    }
}

/// Creates the project's files: each secret alone, encoded, and repeated every few bytes in a text that is too long
/// to be shown.
fn plant(project: &Path) {
    let write = |name: &str, text: &str| std::fs::write(project.join(name), text).unwrap();
    write(".env", DOT_ENV);
    write(".env.local", DOT_ENV_LOCAL);
    let (mut plain, mut encoded, mut long) = (String::new(), String::new(), String::new());
    for secret in secrets() {
        let _ = writeln!(plain, "log: {secret} was used");
        let _ =
            writeln!(encoded, "{} {} {} {}", hex(&secret), percent(&secret), base64(&secret), json!(secret));
    }
    for number in 0..900 {
        let secret = &secrets()[number % 20];
        let _ = write!(long, "{}{secret};", "y".repeat(number % 97));
        // Some lines are cut by the tools, some are not.
        if number < 400 && number % 3 == 0 || number % 100 == 0 {
            long.push('\n');
        }
    }
    write("plain.log", &plain);
    write("encoded.log", &encoded);
    write("long.log", &long);
}

fn script() -> String {
    let call =
        |name: &str, arguments: serde_json::Value| json!({"call": {"name": name, "arguments": arguments}});
    let secrets = secrets();
    let turns = json!({ "turns": [
        { "steps": [call("read_file", json!({"path": "plain.log"})), call("read_file", json!({"path": "encoded.log"})),
                    call("read_file", json!({"path": "long.log"})), call("read_file", json!({"path": ".env"}))] },
        { "steps": [call("run_command", json!({"command": "cat plain.log encoded.log .env .env.local"})),
                    call("run_command", json!({"command": "cat long.log; cat long.log >&2; exit 3"})),
                    call("grep_file", json!({"pattern": "planted", "path": "."}))] },
        // Secrets that the model must not see: in its own text, in arguments, and in errors that repeat them.
        { "steps": [{"text": format!("I know {} and {}.", secrets[1], secrets[4])},
                    call("read_file", json!({"path": secrets[2]})), call("no_such_tool", json!({"a": secrets[3]})),
                    call("run_command", json!({"command": format!("echo {}", secrets[11])}))] },
        { "steps": [call("attempt_completion", json!({"result": format!("found {} and {}", secrets[5], secrets[7])}))] },
    ]});
    turns.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn none_of_twenty_planted_secrets_leaves_a_run() {
    for telling in [&["--json"][..], &[]] {
        let (place, provider) = (Place::new(), provider(&script()).await);
        plant(&place.project());
        // An address may have a password in it.
        let url = provider.base_url().replace("://", "://me:planted-url-000021@");
        let config = place.folder.path().join("providers.toml");
        std::fs::write(&config, "[vendor.corp]\nlike = \"openai\"\nkey-env = \"CORP\"\n").unwrap();
        restrict(place.folder.path());
        let record = place.folder.path().join("record.jsonl");
        let task = format!("look for {}", secrets()[9]);
        let mut arguments =
            vec!["run", &task, "--base-url", &url, "--model", "m", "--yes", "--preset", "full"];
        arguments.extend(["--config", config.to_str().unwrap(), "--record", record.to_str().unwrap()]);
        arguments.extend(telling);
        let output = place.command(&arguments).envs(ENVIRONMENT).output().unwrap();
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{told}");
        check("what is told", &told);
        check_files(place.folder.path(), &place.project());
        // The run has executed the whole script.
        let id = place.run_id();
        let journal = std::fs::read(place.folder.path().join("state/runs").join(id).join("journal")).unwrap();
        assert!(text(&journal).matches("[redacted]").count() > 100, "{told}");
        let requests = provider.requests();
        assert_eq!(requests.len(), 4);
        for request in requests {
            // The model receives its own calls as it wrote them.
            let results: Vec<_> = request.body["messages"].as_array().unwrap().iter().collect();
            for message in results.iter().filter(|message| message["role"] != "assistant") {
                check("a request", &message.to_string());
            }
        }
    }
}

/// The files of the test are not part of the search either.
fn restrict(folder: &Path) {
    #[cfg(unix)]
    for name in ["providers.toml", "project"].into_iter().filter(|name| folder.join(name).exists()) {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// A server that answers every request with an error that repeats all of it, headers and body.
fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let mut bytes = vec![0; 65_536];
            let length = stream.read(&mut bytes).unwrap_or(0);
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let head = request.split("\r\n\r\n").next().unwrap_or_default().to_owned();
            let body = if number % 2 == 0 {
                json!({"error": {"message": head, "code": head}}).to_string()
            } else {
                head
            };
            let _ = write!(
                stream,
                "HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    url
}

// F06: the key is not in any error, even if the server repeats the key in its answer.
#[test]
fn a_key_that_a_server_echoes_is_redacted_in_errors() {
    let (place, url) = (Place::new(), echo());
    restrict(place.folder.path());
    for arguments in [
        &["run", "x", "--base-url", &url, "--model", "m", "--yes", "--json"][..],
        &["run", "x", "--base-url", &url, "--model", "m", "--yes"],
        &["models", "--base-url", &url, "--json"],
    ] {
        let output = place.command(arguments).envs(ENVIRONMENT).output().unwrap();
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(told.contains("[redacted]"), "the server's words are not told: {told}");
        check("what is told", &told);
    }
    check_files(place.folder.path(), &place.project());
}
