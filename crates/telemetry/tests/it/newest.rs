//! Spans in the names of the newest conventions.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_telemetry::{Content, Conventions};

use crate::events::{answered, call, completed, ended, options, running, spans, turn};

#[test]
fn the_newest_conventions_rename_cached_tokens_and_drop_what_they_removed() {
    let events =
        [turn(1), call("c1", "read_file"), answered("calls"), running("c1"), ended("c1", "ok"), completed()];
    let newest = options().with_conventions(Conventions::Newest).with_content(Content::Kept);
    let all = spans(&newest, &events);
    let chat = &all.named("chat")[0];
    chat.has(&[
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.usage.cache_read.input_tokens", "4"),
        ("gen_ai.usage.cache_write.input_tokens", "0"),
    ]);
    let names = |span: &crate::gathered::Gathered| span.fields.keys().cloned().collect::<BTreeSet<_>>();
    assert!(!names(chat).contains("gen_ai.usage.cache_creation.input_tokens"));
    assert!(!chat.fields["gen_ai.output.messages"].contains("finish_reason"));
    let run = all.one("invoke_agent");
    run.has(&[("gen_ai.usage.input_tokens", "20"), ("gen_ai.usage.output_tokens", "9")]);
    for removed in [
        "gen_ai.provider.name",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
    ] {
        assert!(!names(run).contains(removed), "{removed}");
    }
    let older = spans(&options().with_content(Content::Kept), &events);
    let chat = &older.named("chat")[0];
    chat.has(&[("gen_ai.usage.cache_creation.input_tokens", "0")]);
    assert!(!names(chat).contains("gen_ai.usage.cache_write.input_tokens"));
    assert!(chat.fields["gen_ai.output.messages"].contains("finish_reason"));
    assert!(names(older.one("invoke_agent")).contains("gen_ai.provider.name"));
}

#[test]
fn the_variable_selects_the_conventions() {
    for (value, conventions) in [
        ("", Conventions::V1_41),
        ("gen_ai_latest_experimental", Conventions::Newest),
        ("http/dup, gen_ai_latest_experimental ,database", Conventions::Newest),
        ("gen_ai", Conventions::V1_41),
        ("GEN_AI_LATEST_EXPERIMENTAL", Conventions::V1_41),
    ] {
        assert_eq!(Conventions::from_opt_in(value), conventions, "{value}");
    }
    assert_eq!(json!(format!("{:?}", Conventions::default())), "V1_41");
}
