//! Lists of models, as servers give them.

use super::*;

#[track_caller]
fn check(body: &str, id: &str, context: Option<u64>, abilities: &[(Ability, bool)]) {
    let page = models(body.as_bytes()).unwrap();
    let model = page.models.iter().find(|model| model.id == id).unwrap();
    assert_eq!(model.context_tokens, context, "{body}");
    assert_eq!(model.abilities, abilities.iter().copied().collect(), "{body}");
}

#[test]
fn openrouter_lists_the_abilities_of_its_models() {
    let body = r#"{"data":[
        {"id":"openai/gpt-5","context_length":400000,"architecture":{"input_modalities":["text","image","file","audio"]},
         "top_provider":{"max_completion_tokens":128000,"is_moderated":true},
         "supported_parameters":["tools","tool_choice","parallel_tool_calls","structured_outputs","response_format","reasoning"]},
        {"id":"old/one","context_length":4096,"architecture":{"input_modalities":["text"]},"top_provider":{"max_completion_tokens":null},
         "supported_parameters":["max_tokens","temperature"]}
    ]}"#;
    let all = Ability::ALL.iter().map(|ability| (*ability, true)).collect::<Vec<_>>();
    check(body, "openai/gpt-5", Some(400_000), &all);
    let none: Vec<_> = all
        .iter()
        .filter(|(ability, _)| !matches!(ability, Ability::ParallelCalls | Ability::Documents))
        .map(|(ability, _)| (*ability, false))
        .collect();
    check(body, "old/one", Some(4096), &none);
    assert_eq!(models(body.as_bytes()).unwrap().models[0].output_tokens, Some(128_000));
}

#[test]
fn other_model_lists_have_fewer_fields() {
    check(
        r#"{"object":"list","data":[{"id":"gpt-5","object":"model","owned_by":"openai"}]}"#,
        "gpt-5",
        None,
        &[],
    );
    check(r#"{"data":[{"id":"m","max_model_len":8192}]}"#, "m", Some(8192), &[]);
    check(r#"{"data":[{"id":"m","context_window":131072}]}"#, "m", Some(131_072), &[]);
    check(r#"[{"id":"m","context_length":32768,"type":"chat"}]"#, "m", Some(32_768), &[]);
    let mistral = r#"{"data":[{"id":"m","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":true,"vision":false}}]}"#;
    check(mistral, "m", Some(32_768), &[(Ability::NativeTools, true), (Ability::Images, false)]);
    // LM Studio lists abilities in another form, which is ignored instead of misread.
    check(r#"{"data":[{"id":"m","capabilities":["tool_use"]},{"name":"no id"}]}"#, "m", None, &[]);
    for body in ["", "{}", "null", "{\"data\":7}", "<html>"] {
        assert_eq!(models(body.as_bytes()), None, "{body}");
    }
}

#[test]
fn pages_lead_to_the_next() {
    let body = r#"{"data":[{"id":"claude-a","display_name":"A"}],"has_more":true,"first_id":"claude-a","last_id":"claude/a b"}"#;
    assert_eq!(models(body.as_bytes()).unwrap().next.as_deref(), Some("limit=1000&after_id=claude%2Fa%20b"));
    let last = r#"{"data":[],"has_more":false,"last_id":"claude-a"}"#;
    assert_eq!(models(last.as_bytes()).unwrap().next, None);
    let body = r#"{"models":[
        {"name":"models/gemini-x","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent"],"thinking":true},
        {"name":"models/embedding-1","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"a/b"}"#;
    let page = gemini_models(body.as_bytes()).unwrap();
    assert_eq!(page.next.as_deref(), Some("pageSize=1000&pageToken=a%2Fb"));
    let [model] = page.models.as_slice() else { unreachable!("{page:?}") };
    assert_eq!(
        (model.id.as_str(), model.context_tokens, model.output_tokens),
        ("gemini-x", Some(1_048_576), Some(65_536))
    );
    assert_eq!(model.abilities, Claims::from([(Ability::Reasoning, true)]));
}

#[test]
fn ollama_shows_what_one_model_can() {
    let mut model = ModelEntry::new("qwen3");
    add_model_details(
        br#"{"capabilities":["completion","tools","thinking"],"model_info":{"qwen3.context_length":40960}}"#,
        &mut model,
    );
    assert_eq!(model.context_tokens, Some(40_960));
    let expected = [(Ability::NativeTools, true), (Ability::Images, false), (Ability::Reasoning, true)];
    assert_eq!(model.abilities, Claims::from(expected));
    let mut old = ModelEntry::new("old");
    for body in [r#"{"details":{}}"#, "nonsense"] {
        add_model_details(body.as_bytes(), &mut old);
        assert_eq!(old, ModelEntry::new("old"));
    }
}
