#![doc = include_str!("../README.md")]

mod ag_ui;
mod ai_sdk;
mod answers;
mod chat_run;
mod decode;
mod run;
mod sse;
mod turn;

pub use ag_ui::AgUiEncoder;
pub use ai_sdk::{AI_SDK_DONE, AI_SDK_HEADER, AiSdkEncoder, AiSdkVersion};
pub use chat_run::ChatRun;
pub use decode::{AttachedFile, ChatRequest, DecodeError, DecodeLimits, RunInput};
pub use sse::to_sse;
