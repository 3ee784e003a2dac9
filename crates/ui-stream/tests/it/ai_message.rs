//! A strict reader of UI message streams, which builds the message as the AI SDK documents it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Message of the assistant.
#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) parts: Vec<Value>,
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) errors: Vec<String>,
    has_started: bool,
    open: BTreeMap<String, usize>,
}

impl Message {
    pub(crate) fn read(chunks: &[Value]) -> Self {
        let mut message = Self::default();
        for chunk in chunks {
            message.push(chunk);
        }
        assert!(!message.has_started, "the stream has no finish");
        assert!(message.open.is_empty(), "open texts: {:?}", message.open);
        message
    }

    fn push(&mut self, chunk: &Value) {
        let kind = chunk["type"].as_str().unwrap();
        assert_eq!(self.has_started, kind != "start", "{chunk}");
        match kind {
            "start" => {
                self.has_started = true;
                chunk["messageId"].as_str().unwrap().clone_into(&mut self.id);
            }
            "finish" => self.has_started = false,
            "start-step" => self.parts.push(json!({ "type": "step-start" })),
            "finish-step" => assert!(self.open.is_empty(), "a step ends with open texts"),
            "reset-step" => {
                let from = self.parts.iter().rposition(|part| part["type"] == "step-start").unwrap();
                self.parts.truncate(from + 1);
                self.open.clear();
            }
            "text-start" | "reasoning-start" => {
                let id = chunk["id"].as_str().unwrap().to_owned();
                assert!(self.open.insert(id, self.parts.len()).is_none(), "{chunk}");
                let name = kind.trim_end_matches("-start");
                self.parts.push(json!({ "type": name, "id": chunk["id"], "text": "" }));
            }
            "text-delta" | "reasoning-delta" => {
                let part = &mut self.parts[self.open[chunk["id"].as_str().unwrap()]];
                part["text"] =
                    (part["text"].as_str().unwrap().to_owned() + chunk["delta"].as_str().unwrap()).into();
            }
            "text-end" | "reasoning-end" => {
                assert!(self.open.remove(chunk["id"].as_str().unwrap()).is_some(), "{chunk}");
            }
            "message-metadata" | "abort" => {}
            "error" => self.errors.push(chunk["errorText"].to_string()),
            _ if kind.starts_with("data-") => self.push_data(kind, chunk),
            _ => self.push_call(kind, chunk),
        }
        for (name, value) in chunk["messageMetadata"].as_object().into_iter().flatten() {
            self.metadata.insert(name.clone(), value.clone());
        }
    }

    fn push_data(&mut self, kind: &str, chunk: &Value) {
        if chunk["transient"] == true {
            return;
        }
        let found = self.parts.iter_mut().find(|part| part["type"] == kind && part["id"] == chunk["id"]);
        let data = json!({ "type": kind, "id": chunk["id"], "data": chunk["data"] });
        match found {
            Some(part) => *part = data,
            None => self.parts.push(data),
        }
    }

    fn push_call(&mut self, kind: &str, chunk: &Value) {
        if kind == "tool-approval-response" {
            let id = chunk["approvalId"].clone();
            let part = self.parts.iter_mut().find(|part| part["approval"]["id"] == id).unwrap();
            part["state"] = "approval-responded".into();
            part["approval"]["approved"] = chunk["approved"].clone();
            return;
        }
        let call = chunk["toolCallId"].clone();
        let step = self.parts.iter().rposition(|part| part["type"] == "step-start").unwrap_or_default();
        let mut found = self.parts.iter().rposition(|part| part["toolCallId"] == call);
        if kind.starts_with("tool-input") {
            found = found.filter(|at| *at > step);
        }
        let at = found.unwrap_or_else(|| {
            assert!(kind == "tool-input-start" || kind == "tool-input-available", "unknown call: {chunk}");
            self.parts
                .push(json!({ "type": "dynamic-tool", "toolCallId": call, "toolName": chunk["toolName"] }));
            self.parts.len() - 1
        });
        let part = &mut self.parts[at];
        part["state"] = kind.trim_start_matches("tool-").into();
        match kind {
            "tool-input-start" | "tool-input-delta" | "tool-output-denied" => {}
            "tool-input-available" => part["input"] = chunk["input"].clone(),
            "tool-approval-request" => part["approval"] = json!({ "id": chunk["approvalId"] }),
            "tool-output-available" => part["output"] = chunk["output"].clone(),
            "tool-output-error" => part["errorText"] = chunk["errorText"].clone(),
            other => panic!("unknown chunk {other}"),
        }
    }
}
