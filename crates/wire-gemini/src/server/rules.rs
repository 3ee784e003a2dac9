//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{Lenient, Refused, Translated};
use windlass_wire::{FieldEffect, FieldRule, HeaderRule};

/// The reason why an answer does not depend on the fields about routing.
const ROUTING: &str =
    "Vertex AI chooses a model of Google by it, and the gateway chooses by the name of the model.";

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("contents", Translated, r#"[{"parts":[{"text":"y"}]}]"#),
    FieldRule::new("systemInstruction", Translated, r#"{"parts":[{"text":"Be brief."}]}"#),
    FieldRule::new("tools", Translated, r#"[{"functionDeclarations":[{"name":"f"}]}]"#),
    FieldRule::new("toolConfig.functionCallingConfig", Translated, r#"{"mode":"ANY"}"#),
    FieldRule::new("toolConfig.retrievalConfig", Refused, r#"{"languageCode":"de"}"#),
    FieldRule::left_out(
        "toolConfig.includeServerSideToolInvocations",
        "true",
        "It shows calls of tools that Google runs, and another provider runs none of them.",
    ),
    FieldRule::new("generationConfig.temperature", Translated, "0.5"),
    FieldRule::new("generationConfig.maxOutputTokens", Translated, "7"),
    FieldRule::new("generationConfig.stopSequences", Translated, r#"["END"]"#),
    FieldRule::new("generationConfig.responseMimeType", Translated, r#""application/json""#),
    FieldRule::new("generationConfig.responseSchema", Translated, r#"{"type":"OBJECT"}"#),
    FieldRule::new("generationConfig.responseJsonSchema", Translated, r#"{"type":"object"}"#),
    FieldRule::new("generationConfig.topP", Translated, "0.5"),
    FieldRule::new("generationConfig.topK", Translated, "5"),
    FieldRule::new("generationConfig.seed", Translated, "7"),
    FieldRule::new("generationConfig.frequencyPenalty", Translated, "0.5"),
    FieldRule::new("generationConfig.presencePenalty", Translated, "0.5"),
    FieldRule::new("generationConfig.thinkingConfig", Translated, r#"{"thinkingBudget":2048}"#),
    FieldRule::new("generationConfig.candidateCount", Refused, "2").with_effect(FieldEffect::Several),
    FieldRule::new("generationConfig.responseLogprobs", Refused, "true"),
    FieldRule::new("generationConfig.logprobs", Refused, "2"),
    FieldRule::new("generationConfig.responseFormat", Refused, r#"[{"text":{}}]"#),
    FieldRule::new("generationConfig.translationConfig", Refused, r#"{"targetLanguageCode":"de"}"#),
    FieldRule::new("generationConfig.audioTranscriptionConfig", Refused, r#"{"languageCodes":["de"]}"#),
    FieldRule::new("generationConfig.audioTimestamp", Lenient, "true"),
    FieldRule::new("generationConfig.enableAffectiveDialog", Lenient, "true"),
    FieldRule::new("generationConfig.enableEnhancedCivicAnswers", Lenient, "true"),
    FieldRule::left_out(
        "generationConfig.imageConfig",
        r#"{"aspectRatio":"1:1"}"#,
        "It is about pictures in an answer, which are refused.",
    ),
    FieldRule::left_out("generationConfig.routingConfig", r#"{"manualMode":{"modelName":"m"}}"#, ROUTING),
    FieldRule::left_out(
        "generationConfig.modelSelectionConfig",
        r#"{"featureSelectionPreference":"BALANCED"}"#,
        ROUTING,
    ),
    FieldRule::new("generationConfig.responseModalities", Refused, r#"["TEXT","IMAGE"]"#)
        .with_effect(FieldEffect::OtherThanText),
    FieldRule::new("generationConfig.speechConfig", Refused, r#"{"languageCode":"de"}"#),
    FieldRule::new("generationConfig.mediaResolution", Lenient, r#""MEDIA_RESOLUTION_LOW""#)
        .with_effect(FieldEffect::WithMedia { unless: "MEDIA_RESOLUTION_UNSPECIFIED" }),
    FieldRule::new("cachedContent", Refused, r#""cachedContents/1""#),
    FieldRule::new("safetySettings", Lenient, r#"[{"category":"c","threshold":"BLOCK_ONLY_HIGH"}]"#)
        .with_effect(FieldEffect::Filters),
    FieldRule::new("modelArmorConfig", Refused, r#"{"promptTemplateName":"t"}"#),
    FieldRule::new("continuationToken", Refused, r#""AA==""#),
    FieldRule::new("generationOutputConfig", Refused, r#"{"gcsUri":"gs://b"}"#),
    FieldRule::left_out("serviceTier", r#""flex""#, "It selects a price and a time, for the same model."),
    FieldRule::left_out("store", "true", "It decides whether Google logs the request."),
    FieldRule::left_out("labels", r#"{"a":"b"}"#, "The API writes them on the bill."),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("x-goog-api-client"),
    HeaderRule::to_provider("x-goog-request-params"),
    HeaderRule::to_client("x-gemini-*"),
];
