//! Text files and terminals of the client.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass_app::Autonomy;

use crate::place::{Client, Place};

const EDITS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "notes.txt"}}}]},
    {"steps": [{"call": {"name": "edit_file",
        "arguments": {"path": "notes.txt", "old_text": "typed", "new_text": "edited"}}}]},
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "../outside.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#;

const BLIND: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "edit_file",
        "arguments": {"path": "notes.txt", "old_text": "disk", "new_text": "edited"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#;

const COMMAND: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo one; echo two; exit 3"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Done."}}}]}]}"#;

/// The open files of a client, and the requests about them.
#[derive(Default)]
struct Buffers {
    texts: BTreeMap<String, String>,
    requests: Vec<String>,
}

impl Buffers {
    /// Answers a request of the agent. Saving writes the file, as editors do.
    fn answer(&mut self, method: &str, params: &Value) -> Value {
        let path = params["path"].as_str().unwrap();
        self.requests.push(format!("{method} {path}"));
        if method == "fs/write_text_file" {
            self.texts.remove(path);
            std::fs::write(path, params["content"].as_str().unwrap()).unwrap();
            return json!({});
        }
        let text = self.texts.get(path).cloned().or_else(|| std::fs::read_to_string(path).ok());
        json!({"content": text.unwrap()})
    }

    /// Reads messages until the response to a prompt. Answers permissions with an option.
    async fn work(&mut self, client: &mut Client, prompt: u64, option: &str) -> Value {
        loop {
            let message = client.read().await;
            match message["method"].as_str() {
                Some(method @ ("fs/read_text_file" | "fs/write_text_file")) => {
                    let result = self.answer(method, &message["params"]);
                    client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                }
                Some("session/request_permission") => client.choose(&message, option).await,
                None if message["id"] == prompt => return message,
                _ => client.seen.push_back(message),
            }
        }
    }
}

async fn connect(place: &Place, abilities: Value) -> Client {
    let mut client = place.connect();
    client.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": abilities})).await;
    client
}

fn with_files() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}})
}

async fn results(place: &Place, session: &str) -> Vec<String> {
    let events = place.host.read(session, None).await.unwrap();
    let events = events.iter().map(|event| serde_json::to_value(event).unwrap());
    let results = events.filter(|event| event["kind"] == "result");
    results.map(|event| event["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn unsaved_texts_of_the_client_are_read_and_edited() {
    let place = Place::with_template(EDITS, |template| template.autonomy = Autonomy::AutoEdit).await;
    let notes = place.project.join("notes.txt").display().to_string();
    std::fs::write(&notes, "disk\n").unwrap();
    std::fs::write(place.project.join("../outside.txt"), "outside\n").unwrap();
    let mut client = connect(&place, with_files()).await;
    let mut buffers = Buffers::default();
    buffers.texts.insert(notes.clone(), "typed\n".to_owned());
    let session = client.open(&place.project).await;
    let prompt = client.prompt(&session, "edit it").await;
    let response = buffers.work(&mut client, prompt, "no").await;
    assert_eq!(response["result"]["stopReason"], "end_turn", "{response}");
    assert_eq!(place.file("notes.txt").as_deref(), Some("edited\n"));
    assert!(buffers.texts.is_empty());
    // The path outside of the folder never reaches the client.
    let (read, write) = (format!("fs/read_text_file {notes}"), format!("fs/write_text_file {notes}"));
    assert!(
        buffers.requests.contains(&write) && buffers.requests.iter().all(|one| *one == read || *one == write)
    );
    let results = results(&place, &session).await;
    assert!(results[0].contains("typed") && results[0].contains("unsaved changes"), "{results:?}");
    assert!(results.iter().all(|text| !text.contains("outside\n")), "{results:?}");
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_never_reaches_the_files_of_the_client() {
    let place = Place::new(BLIND).await;
    std::fs::write(place.project.join("notes.txt"), "disk\n").unwrap();
    let mut client = connect(&place, with_files()).await;
    let mut buffers = Buffers::default();
    let session = client.open(&place.project).await;
    let prompt = client.prompt(&session, "edit it").await;
    buffers.work(&mut client, prompt, "no").await;
    assert_eq!((buffers.requests.len(), place.file("notes.txt").as_deref()), (0, Some("disk\n")));
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsaved_changes_that_the_model_has_not_read_are_kept() {
    let place = Place::new(BLIND).await;
    let notes = place.project.join("notes.txt").display().to_string();
    std::fs::write(&notes, "disk\n").unwrap();
    let mut client = connect(&place, with_files()).await;
    let mut buffers = Buffers::default();
    buffers.texts.insert(notes.clone(), "disk and typed\n".to_owned());
    let session = client.open(&place.project).await;
    let prompt = client.prompt(&session, "edit it").await;
    // The person approves a difference to the file on disk.
    buffers.work(&mut client, prompt, "once").await;
    assert_eq!(place.file("notes.txt").as_deref(), Some("disk\n"));
    assert_eq!(buffers.texts[&notes], "disk and typed\n");
    let results = results(&place, &session).await;
    assert!(results[0].contains("unsaved changes in the editor"), "{results:?}");
    client.close().await;
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_only_writes_or_has_no_files_is_not_asked() {
    for abilities in
        [json!({}), json!({"fs": {"writeTextFile": true}}), json!({"fs": {"readTextFile": false}})]
    {
        let place = Place::new(BLIND).await;
        std::fs::write(place.project.join("notes.txt"), "disk\n").unwrap();
        let mut client = connect(&place, abilities).await;
        let mut buffers = Buffers::default();
        let session = client.open(&place.project).await;
        let prompt = client.prompt(&session, "edit it").await;
        buffers.work(&mut client, prompt, "once").await;
        assert_eq!((buffers.requests.len(), place.file("notes.txt").as_deref()), (0, Some("edited\n")));
        client.close().await;
        place.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_output_of_a_command_is_a_terminal_that_the_client_only_shows() {
    let place = Place::new(COMMAND).await;
    let abilities = json!({"terminal": true, "_meta": {"terminal_output": true}});
    let mut client = connect(&place, abilities).await;
    let session = client.open(&place.project).await;
    let prompt = client.prompt(&session, "run it").await;
    Buffers::default().work(&mut client, prompt, "once").await;
    assert!(client.seen.iter().all(|message| message["method"] != "terminal/create"));
    let updates = client.updates();
    let begun = updates.iter().find(|update| update["_meta"]["terminal_info"].is_object()).unwrap();
    let id = begun["toolCallId"].clone();
    assert_eq!(begun["sessionUpdate"], "tool_call");
    assert_eq!(begun["content"], json!([{"type": "terminal", "terminalId": id}]));
    assert_eq!(begun["_meta"]["terminal_info"]["terminal_id"], id);
    let output = updates.iter().filter_map(|update| update["_meta"]["terminal_output"]["data"].as_str());
    let output: String = output.collect();
    assert!(output.contains("one\ntwo\n"), "{output:?}");
    let end = updates.iter().find(|update| update["_meta"]["terminal_exit"].is_object()).unwrap();
    assert_eq!(end["_meta"]["terminal_exit"]["exit_code"], 3, "{end}");
    assert_eq!((&end["status"], &end["content"]), (&json!("failed"), &begun["content"]));
    client.close().await;
    place.shutdown().await;
}
