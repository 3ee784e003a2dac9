//! `windlass mcp serve` with an MCP client.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::{Place, text};

/// A client over the program's standard input and output.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    ids: u64,
}

impl Client {
    fn start(place: &Place, arguments: &[&str], capabilities: &Value) -> Self {
        let mut command = place.command(&[&["mcp", "serve"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, ids: 0 };
        let hello = client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "windlass", "{hello}");
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ids += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}));
        self.hear()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Closes the program's input, and returns how it ended.
    fn end(self) -> bool {
        let Self { mut child, input, output, .. } = self;
        drop((input, output));
        child.wait().unwrap().success()
    }
}

fn words(answer: &Value) -> String {
    let content = answer["result"]["content"].as_array().unwrap();
    content.iter().filter_map(|piece| piece["text"].as_str()).collect()
}

// H1, M6
#[test]
fn tools_of_a_folder_are_served_and_those_about_a_run_are_not() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--preset", "full"], &json!({}));
    let listed = client.ask("tools/list", &json!({}));
    let names: Vec<_> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    for name in ["read_file", "write_file", "run_command"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for name in ["attempt_completion", "switch_mode", "update_todo_list"] {
        assert!(!names.contains(&name), "{names:?}");
        assert_eq!(client.call(name, &json!({}))["error"]["code"], -32602);
    }
    assert!(words(&client.call("read_file", &json!({"path": "a.txt"}))).contains("hello"));
    let outside = client.call("read_file", &json!({"path": "/etc/passwd"}));
    assert_eq!(outside["result"]["isError"], true, "{outside}");
    let wrong = client.call("read_file", &json!({"path": 7, "nothing": 1}));
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
    assert!(words(&wrong).starts_with("[invalid_arguments]"), "{wrong}");
    assert!(client.end());
}

// H1, H4, H12
#[test]
fn calls_that_need_approval_run_only_after_the_client_user_approves() {
    let place = Place::new();
    let write = json!({"path": "new.txt", "content": "new\n"});
    let file = place.project().join("new.txt");
    let mut mute = Client::start(&place, &[], &json!({}));
    let denied = mute.call("write_file", &write);
    assert!(words(&denied).contains("cannot ask its user"), "{denied}");
    assert!(!file.exists() && mute.end());
    let mut client = Client::start(&place, &[], &json!({"elicitation": {}}));
    for (answer, said) in [
        (
            json!({"action": "accept", "content": {"allow": false, "comment": "not today"}}),
            "the user denied the call: not today",
        ),
        (json!({"action": "cancel"}), "the user denied the call"),
    ] {
        let question = client.call("write_file", &write);
        assert!(question["params"]["message"].as_str().unwrap().contains("new.txt"), "{question}");
        client.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
        let denied = client.hear();
        assert!(words(&denied).contains(said) && !file.exists(), "{denied}");
    }
    let question = client.call("write_file", &write);
    let yes = json!({"action": "accept", "content": {"allow": true}});
    client.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
    let done = client.hear();
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
    // No approval permits a call that the built-in rules forbid.
    let outside = client.call("write_file", &json!({"path": "../out.txt", "content": ""}));
    assert_eq!(outside["result"]["isError"], true, "{outside}");
    assert!(client.end());
    // If the user configured the extent, no question is asked.
    let mut auto = Client::start(&place, &["--autonomy", "auto-edit"], &json!({}));
    let written = auto.call("write_file", &json!({"path": "b.txt", "content": "b"}));
    assert_eq!(written["result"]["isError"], false, "{written}");
    assert!(auto.end());
}

// SECURITY "MCP"
#[test]
fn mcp_http_serves_loopback_only_and_with_a_token_by_default() {
    let place = Place::new();
    let open = place.run(&["mcp", "serve", "--http", "0.0.0.0:0"]);
    assert_eq!(open.status.code(), Some(1));
    assert!(text(&open.stderr).contains("pass --allow-host NAME to permit this"), "{}", text(&open.stderr));
    let both = place.run(&["mcp", "serve", "--http", "127.0.0.1:0", "--no-token", "--allow-host", "x"]);
    assert_eq!(both.status.code(), Some(2));
    let mut command = place.command(&["mcp", "serve", "--http", "127.0.0.1:0"]);
    let short = command.env("WINDLASS_MCP_TOKEN", "short").output().unwrap();
    assert!(text(&short.stderr).contains("could be guessed"), "{}", text(&short.stderr));
    let mut command = place.command(&["mcp", "serve", "--http", "127.0.0.1:0", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["token"].as_str().unwrap().len(), 64);
    assert!(told["url"].as_str().unwrap().ends_with("/mcp"), "{told}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn slash_commands_and_skills_are_prompts() {
    let place = Place::new();
    let commands = place.project().join(".windlass/commands");
    std::fs::create_dir_all(&commands).unwrap();
    let greet = "---\ndescription: Greets.\nargument-hint: NAME\n---\nSay hello to $1, then $ARGUMENTS.\n";
    std::fs::write(commands.join("greet.md"), greet).unwrap();
    std::fs::write(commands.join("bad name.md"), "text").unwrap();
    let mut client = Client::start(&place, &[], &json!({}));
    let listed = client.ask("prompts/list", &json!({}));
    let prompts = &listed["result"]["prompts"];
    assert_eq!(prompts.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(prompts[0]["name"], "greet");
    assert_eq!(prompts[0]["description"], "Greets. (folder: project)");
    assert_eq!(prompts[0]["arguments"][0]["name"], "arguments");
    assert_eq!(prompts[0]["arguments"][0]["description"], "NAME");
    let filled =
        client.ask("prompts/get", &json!({"name": "greet", "arguments": {"arguments": "Ada 'and Bob'"}}));
    let text = &filled["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "Say hello to Ada, then Ada 'and Bob'.", "{filled}");
    // The file is read when the prompt is filled in.
    std::fs::write(commands.join("greet.md"), "Say moin.").unwrap();
    let filled = client.ask("prompts/get", &json!({"name": "greet"}));
    assert_eq!(filled["result"]["messages"][0]["content"]["text"], "Say moin.", "{filled}");
    std::fs::remove_file(commands.join("greet.md")).unwrap();
    let gone = client.ask("prompts/get", &json!({"name": "greet"}));
    assert!(gone["error"]["message"].as_str().unwrap().contains("cannot be read"), "{gone}");
    let unknown = client.ask("prompts/get", &json!({"name": "bad name"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(client.end());
}
