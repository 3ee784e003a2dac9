//! async-openai: its types and its stream, in a loop.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessageArgs,
    ChatCompletionRequestMessage, ChatCompletionRequestSystemMessageArgs,
    ChatCompletionRequestToolMessageArgs, ChatCompletionRequestUserMessageArgs, ChatCompletionStreamOptions,
    ChatCompletionTool, ChatCompletionTools, CreateChatCompletionRequestArgs, FunctionCall,
    FunctionObjectArgs,
};
use futures_util::StreamExt;

use super::{DESCRIPTION, NAME, SYSTEM, TASK, Watch, WriteFile, http, schema};

pub async fn converse(base: String, model: String, watch: Watch) -> Result<(), String> {
    talk(base, model, watch).await.map_err(|error| error.to_string())
}

async fn talk(base: String, model: String, watch: Watch) -> Result<(), OpenAIError> {
    let config = OpenAIConfig::new().with_api_key("key").with_api_base(format!("{base}/v1"));
    let client = Client::with_config(config).with_http_client(http());
    let function =
        FunctionObjectArgs::default().name(NAME).description(DESCRIPTION).parameters(schema()).build()?;
    let tools = vec![ChatCompletionTools::Function(ChatCompletionTool { function })];
    let mut messages: Vec<ChatCompletionRequestMessage> = vec![
        ChatCompletionRequestSystemMessageArgs::default().content(SYSTEM).build()?.into(),
        ChatCompletionRequestUserMessageArgs::default().content(TASK).build()?.into(),
    ];
    loop {
        let request = CreateChatCompletionRequestArgs::default()
            .model(model.as_str())
            .messages(messages.clone())
            .tools(tools.clone())
            .stream_options(ChatCompletionStreamOptions {
                include_usage: Some(true),
                include_obfuscation: None,
            })
            .build()?;
        let mut stream = client.chat().create_stream(request).await?;
        let mut call = FunctionCall::default();
        let mut id = String::new();
        while let Some(chunk) = stream.next().await {
            for choice in chunk?.choices {
                for piece in choice.delta.tool_calls.unwrap_or_default() {
                    id.push_str(&piece.id.unwrap_or_default());
                    let Some(function) = piece.function else { continue };
                    call.name.push_str(&function.name.unwrap_or_default());
                    if let Some(arguments) = function.arguments.filter(|arguments| !arguments.is_empty()) {
                        call.arguments.push_str(&arguments);
                        watch.delta().await;
                    }
                }
            }
        }
        if id.is_empty() {
            return Ok(());
        }
        let read: WriteFile = serde_json::from_str(&call.arguments)
            .map_err(|error| OpenAIError::JSONDeserialize(error, String::new()))?;
        let result = watch.call(&read);
        let asked = ChatCompletionMessageToolCall { id: id.clone(), function: call };
        let asked = vec![ChatCompletionMessageToolCalls::Function(asked)];
        messages.push(ChatCompletionRequestAssistantMessageArgs::default().tool_calls(asked).build()?.into());
        let result =
            ChatCompletionRequestToolMessageArgs::default().tool_call_id(id).content(result).build()?;
        messages.push(result.into());
    }
}
