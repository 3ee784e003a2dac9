//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{LeftOut, Lenient, Refused, Translated};
use windlass_wire::{FieldRule, HeaderRule};

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("generationConfig.topP", Translated, "0.5"),
    FieldRule::new("generationConfig.topK", Translated, "5"),
    FieldRule::new("generationConfig.seed", Translated, "7"),
    FieldRule::new("generationConfig.frequencyPenalty", Translated, "0.5"),
    FieldRule::new("generationConfig.presencePenalty", Translated, "0.5"),
    FieldRule::new("generationConfig.thinkingConfig", Translated, r#"{"thinkingBudget":2048}"#),
    FieldRule::new("generationConfig.candidateCount", Refused, "2"),
    FieldRule::new("generationConfig.responseLogprobs", Refused, "true"),
    FieldRule::new("generationConfig.responseModalities", Refused, r#"["TEXT","IMAGE"]"#),
    FieldRule::new("generationConfig.speechConfig", Refused, r#"{"languageCode":"de"}"#),
    FieldRule::new("generationConfig.mediaResolution", Lenient, r#""MEDIA_RESOLUTION_LOW""#),
    FieldRule::new("cachedContent", Refused, r#""cachedContents/1""#),
    FieldRule::new("safetySettings", Lenient, r#"[{"category":"c","threshold":"BLOCK_NONE"}]"#),
    FieldRule::new("labels", LeftOut, r#"{"a":"b"}"#),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("x-goog-api-client"),
    HeaderRule::to_provider("x-goog-request-params"),
    HeaderRule::to_client("x-gemini-*"),
];
