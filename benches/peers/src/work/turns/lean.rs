//! A hand-written client for exactly this API and this tool: borrowed structs, and the conversation stored as
//! request text.

use std::borrow::Cow;

use bytes::BytesMut;
use futures_util::StreamExt;
use serde::Deserialize;

use super::{DESCRIPTION, NAME, SYSTEM, TASK, Watch, WriteFile, http, schema};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    tool_calls: Vec<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    arguments: Cow<'a, str>,
}

pub async fn converse(base: String, model: String, watch: Watch) -> Result<(), String> {
    let client = http();
    let url = format!("{base}/v1/chat/completions");
    let tools = format!(
        r#"[{{"type":"function","function":{{"name":"{NAME}","description":"{DESCRIPTION}","parameters":{}}}}}]"#,
        schema()
    );
    let begin = format!(
        r#"{{"model":"{model}","stream":true,"stream_options":{{"include_usage":true}},"tools":{tools},"messages":[{{"role":"system","content":"{SYSTEM}"}},{{"role":"user","content":"{TASK}"}}"#
    );
    let mut body = BytesMut::from(begin.as_bytes());
    loop {
        let open = body.len();
        body.extend_from_slice(b"]}");
        // Freezing shares the bytes with the request without a copy; they are reclaimed after sending.
        let sent = body.freeze();
        let request = client
            .post(&url)
            .header("content-type", "application/json")
            .header("authorization", "Bearer key");
        let response = request.body(sent.clone()).send().await.map_err(|error| error.to_string())?;
        let (id, arguments) = answer(response, &watch).await?;
        body = sent.try_into_mut().unwrap_or_else(|sent| BytesMut::from(&sent[..]));
        body.truncate(open);
        if id.is_empty() {
            return Ok(());
        }
        let read: WriteFile = serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let result = watch.call(&read);
        let quoted = serde_json::to_string(&arguments).map_err(|error| error.to_string())?;
        let new = [
            r#",{"role":"assistant","content":null,"tool_calls":[{"id":""#,
            &id,
            r#"","type":"function","function":{"name":"write_file","arguments":"#,
            &quoted,
            r#"}}]},{"role":"tool","tool_call_id":""#,
            &id,
            r#"","content":""#,
            result,
            "\"}",
        ];
        new.iter().for_each(|piece| body.extend_from_slice(piece.as_bytes()));
    }
}

/// Returns the id of the answer's call, empty without a call, and its arguments.
async fn answer(response: reqwest::Response, watch: &Watch) -> Result<(String, String), String> {
    let mut pieces = response.bytes_stream();
    let (mut held, mut id, mut arguments) = (Vec::<u8>::new(), String::new(), String::new());
    while let Some(piece) = pieces.next().await {
        held.extend_from_slice(&piece.map_err(|error| error.to_string())?);
        let mut start = 0;
        while let Some(length) = memchr::memmem::find(&held[start..], b"\n\n") {
            let event = &held[start..start + length];
            start += length + 2;
            let Some(data) = event.strip_prefix(b"data: ") else { continue };
            if data == b"[DONE]" {
                continue;
            }
            let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|error| error.to_string())?;
            for call in chunk.choices.into_iter().flat_map(|choice| choice.delta.tool_calls) {
                if let Some(begun) = call.id {
                    id.push_str(&begun);
                }
                if !call.function.arguments.is_empty() {
                    arguments.push_str(&call.function.arguments);
                    watch.delta().await;
                }
            }
        }
        held.drain(..start);
    }
    Ok((id, arguments))
}
