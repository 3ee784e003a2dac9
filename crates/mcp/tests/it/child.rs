//! Servers as child processes: their environment, their remains and their last output (RULES M4, M5).
#![cfg(unix)]

use std::time::Duration;

use windlass_mcp::{ClientOptions, Lifecycle, McpClient, McpLimits, McpServer, StartError};
use windlass_protocol::ResultStatus;

use crate::calls::{call, text};

/// A server of one tool in the language of the shell. Requests are numbered from zero, so its answers need no
/// parser.
const SERVER: &str = r#"
sleep 1000 &
names=$(env | cut -d= -f1 | tr '\n' ' ')
while read -r line; do
    case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"look","description":"'"$! $names"'","inputSchema":{"type":"object"}}]}}' ;;
    *'"tools/call"'*) echo 'cannot go on' >&2; exit 3 ;;
    esac
done
"#;

fn shell(id: &str, script: &str) -> McpServer {
    let server = McpServer::new(id, "/bin/sh").unwrap().with_argument("-c").with_argument(script);
    // The scripts rely on the numbers of their requests.
    server.with_lifecycle(Lifecycle::Initialize)
}

fn description(client: &McpClient) -> String {
    client.definitions()[0].description.clone()
}

/// Returns true if a process exists and is not a zombie.
#[cfg(target_os = "linux")]
fn lives(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn no_process_of_a_server_outlives_its_client() {
    let client = McpClient::start(shell("sh", SERVER), ClientOptions::default()).await.unwrap();
    let words = description(&client);
    let helper = words.split(' ').next().unwrap().to_owned();
    assert!(lives(&helper));
    drop(client);
    let gone = async {
        while lives(&helper) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.unwrap();
}

/// A server records its last actions in a file in the given folder.
#[cfg(target_os = "linux")]
async fn left(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let server = shell("sh", script).with_folder(folder.path());
    let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
    let pid: String = description(&client).split(' ').take(1).collect();
    client.stop().await;
    let gone = async {
        while lives(&pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.unwrap();
    std::fs::read_to_string(folder.path().join("left")).unwrap_or_default()
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_server_gets_eof_and_sigterm_before_sigkill() {
    let of_itself = SERVER.replace("$! $names", "$$").replace("sleep 1000 &", "");
    let closed = format!("{of_itself}\necho 'its input was closed' > left\n");
    assert_eq!(left(&closed).await, "its input was closed\n");
    let stays = format!("trap 'echo term > left; exit' TERM\n{of_itself}\nwhile :; do sleep 0.05; done\n");
    assert_eq!(left(&stays).await, "term\n");
    let stubborn = format!("trap '' TERM\n{of_itself}\nwhile :; do sleep 0.05; done\n");
    assert_eq!(left(&stubborn).await, "");
}

#[tokio::test]
async fn a_server_inherits_only_listed_and_configured_variables() {
    let server = shell("sh", SERVER)
        .with_environment_name("CARGO_MANIFEST_DIR")
        .with_environment_value("ITS_TOKEN", "from the configuration");
    let client = McpClient::start(server, ClientOptions::default()).await.unwrap();
    let words = description(&client);
    assert!(
        words.contains("PATH") && words.contains("CARGO_MANIFEST_DIR") && words.contains("ITS_TOKEN"),
        "{words}"
    );
    assert!(!words.contains("CARGO_PKG_NAME"), "{words}");
}

#[tokio::test]
async fn a_server_that_exits_in_a_call_ends_it_though_its_helper_holds_the_pipe() {
    let client = McpClient::start(shell("sh", SERVER), ClientOptions::default()).await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::EffectsUnknown, "{}", text(&output));
}

#[tokio::test]
async fn servers_start_concurrently_and_a_failure_does_not_affect_others() {
    let limits = McpLimits { start: Duration::from_millis(500), ..McpLimits::default() };
    let servers = [
        shell("good", SERVER),
        McpServer::new("missing", "/no/such/program").unwrap(),
        shell("silent", "echo 'no licence' >&2; exec sleep 1000").with_limits(limits),
        shell("ends", "echo 'no home' >&2; exit 1"),
        shell("echo", "cat"),
        shell("old", r#"read -r line; echo '{"id":0,"result":{"protocolVersion":"1999"}}'; cat >/dev/null"#),
    ];
    let started = McpClient::start_all(servers, &ClientOptions::default()).await;
    let told: Vec<String> = started
        .iter()
        .map(|(server, started)| match started {
            Ok(client) => format!("{}: {} tools", server.id(), client.tools().len()),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(told[0], "good: 1 tools");
    assert!(matches!(started[1].1, Err(StartError::Connect { .. })), "{}", told[1]);
    assert!(told[2].contains("500 ms (limit `start`)") && told[2].contains("no licence"), "{}", told[2]);
    assert!(told[3].contains("it ended"), "{}", told[3]);
    assert!(told[4].contains("cannot be used"), "{}", told[4]);
    assert!(told[5].contains("speaks version 1999"), "{}", told[5]);
}
