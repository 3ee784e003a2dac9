//! genai: its stream with captured calls, in a loop.

use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, Tool, ToolCall, ToolResponse};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};

use super::{DESCRIPTION, NAME, SYSTEM, TASK, Watch, WriteFile, http, schema};

pub async fn converse(base: String, model: String, watch: Watch) -> Result<(), String> {
    let address = format!("{base}/v1/");
    let resolver = ServiceTargetResolver::from_resolver_fn(
        move |target: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
            let endpoint = Endpoint::from_owned(address.clone());
            let model = ModelIden::new(AdapterKind::OpenAI, target.model.model_name);
            Ok(ServiceTarget { endpoint, auth: AuthData::from_single("key"), model })
        },
    );
    let client = Client::builder()
        .with_service_target_resolver(resolver)
        .with_reqwest(http())
        .build()
        .map_err(|error| error.to_string())?;
    let options = ChatOptions::default().with_capture_tool_calls(true).with_capture_usage(true);
    let tool = Tool::new(NAME).with_description(DESCRIPTION).with_schema(schema());
    let mut request =
        ChatRequest::new(vec![ChatMessage::user(TASK)]).with_system(SYSTEM).with_tools(vec![tool]);
    loop {
        let answer = client.exec_chat_stream(&model, request.clone(), Some(&options)).await;
        let mut stream = answer.map_err(|error| error.to_string())?.stream;
        let mut calls: Vec<ToolCall> = Vec::new();
        while let Some(event) = stream.next().await {
            match event.map_err(|error| error.to_string())? {
                ChatStreamEvent::ToolCallChunk(_) => watch.delta().await,
                ChatStreamEvent::End(end) => calls = end.captured_into_tool_calls().unwrap_or_default(),
                _ => {}
            }
        }
        let Some(call) = calls.first() else { return Ok(()) };
        let read: WriteFile =
            serde_json::from_value(call.fn_arguments.clone()).map_err(|error| error.to_string())?;
        let result = ToolResponse::new(call.call_id.clone(), watch.call(&read).to_owned());
        request = request.append_message(ChatMessage::from(calls)).append_message(result);
    }
}
