//! A scripted MCP server in a process of its own.

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The behaviour of the server. The harness writes it, and the process reads it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Script {
    /// The server never answers.
    pub(crate) is_silent: bool,
    /// The tools of each listing. The server announces a change until the last one was requested.
    pub(crate) lists: Vec<Vec<Value>>,
    /// The depth of the schema of an additional tool `deep`; 0 omits the tool.
    pub(crate) depth: usize,
    /// The behaviour of a call.
    pub(crate) call: Call,
}

/// The behaviour of a call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Call {
    /// Returns the name of the called tool.
    #[default]
    Name,
    /// Returns this number of bytes.
    Bytes(usize),
    /// Sends unsolicited responses, then the name of the called tool, then a second response.
    Confuse,
    /// Asks this question first, and returns the answer.
    Ask(String),
}

struct Server {
    script: Script,
    listed: usize,
    /// The call that waits for the answer to a question.
    waiting: Option<Value>,
}

/// Serves MCP over standard input and output until the input ends.
pub(crate) fn serve(script: &str) -> anyhow::Result<ExitCode> {
    let mut server = Server { script: serde_json::from_str(script)?, listed: 0, waiting: None };
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if !server.script.is_silent {
            server.hear(&message)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Server {
    fn hear(&mut self, message: &Value) -> anyhow::Result<()> {
        let id = message.get("id").cloned().unwrap_or_default();
        match message.get("method").and_then(Value::as_str) {
            Some("initialize") => {
                let info = json!({"name": "scripted", "version": "1"});
                say(
                    &id,
                    &json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}),
                )
            }
            Some("tools/list") => self.list(&id),
            Some("tools/call") => self.call(&id, message),
            None => match self.waiting.take() {
                Some(call) => say(&call, &words(&format!("answered: {message}"))),
                None => Ok(()),
            },
            Some(_) => Ok(()),
        }
    }

    fn list(&mut self, id: &Value) -> anyhow::Result<()> {
        let last = self.script.lists.len().saturating_sub(1);
        let tools = self.script.lists.get(self.listed.min(last)).cloned().unwrap_or_default();
        let mut tools: Vec<String> = tools.iter().map(Value::to_string).collect();
        if self.script.depth > 0 {
            let (open, close) = ("{\"a\":".repeat(self.script.depth), "}".repeat(self.script.depth));
            tools.push(format!("{{\"name\":\"deep\",\"inputSchema\":{open}1{close}}}"));
        }
        write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{}]}}}}"#, tools.join(",")))?;
        if self.listed < last {
            write(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}).to_string())?;
        }
        self.listed = self.listed.saturating_add(1);
        Ok(())
    }

    fn call(&mut self, id: &Value, message: &Value) -> anyhow::Result<()> {
        let name = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
        let done = words(&format!("this is {name}"));
        match &self.script.call {
            Call::Name => say(id, &done),
            Call::Bytes(bytes) => {
                let text = "x".repeat(*bytes);
                write(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ))
            }
            Call::Confuse => {
                for other in [json!(987_654), json!(id.to_string()), json!(null), json!(-1)] {
                    say(&other, &words("from nobody"))?;
                }
                say(id, &done)?;
                say(id, &words("from nobody"))
            }
            Call::Ask(what) => {
                self.waiting = Some(id.clone());
                let schema = json!({"type": "object", "properties": {"key": {"type": "string"}}});
                let params = json!({"message": what, "requestedSchema": schema});
                write(
                    &json!({"jsonrpc": "2.0", "id": "ask", "method": "elicitation/create", "params": params})
                        .to_string(),
                )
            }
        }
    }
}

fn words(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn say(id: &Value, result: &Value) -> anyhow::Result<()> {
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

fn write(line: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
