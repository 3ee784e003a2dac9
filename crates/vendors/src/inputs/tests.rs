//! Tests of the check of parts.

use windlass_protocol::{
    CallId, Content, File, History, Image, Message, Part, RefusalKind, ResultStatus, ToolResult,
};

use super::check_inputs;
use crate::capability::{Ability, ClaimSource, Claims, ModelCapabilities};
use crate::vendors::Vendors;

fn everything() -> History {
    let result = ToolResult::new(
        CallId::new("call-1").unwrap(),
        ResultStatus::Ok,
        vec![Content::text("a"), Content::Image(Image::base64("image/gif", "AAAA"))],
    );
    let message = Message::user("look")
        .with_part(Image::base64("image/png", "AAAA"))
        .with_part(File::base64("application/pdf", "AAAA").with_name(Some("a.pdf".to_owned())))
        .with_part(File::base64("audio/wav", "AAAA"))
        .with_part(Part::provider_file("file-1", "image/jpeg"))
        .with_part(File::base64("text/csv", "AAAA"));
    vec![message, Message::results([result])].into()
}

fn places(known: &ModelCapabilities) -> Vec<(String, RefusalKind)> {
    let refusals = check_inputs(&everything(), "m", known);
    refusals.into_iter().map(|refusal| (refusal.place, refusal.kind)).collect()
}

#[test]
fn each_part_that_the_model_does_not_take_is_refused_by_its_place() {
    let vendors = Vendors::builtin();
    let known = |vendor: &str, model: &str| vendors.get(vendor).unwrap().capabilities(model);
    let place = |message: usize, part: usize| format!("messages[{message}].parts[{part}]");
    let expected = [
        (place(0, 1), RefusalKind::Image),
        (place(0, 2), RefusalKind::File),
        (place(0, 3), RefusalKind::File),
        (place(0, 4), RefusalKind::File),
        (place(1, 0), RefusalKind::Image),
    ];
    assert_eq!(places(&known("deepseek", "deepseek-chat")), expected);
    assert_eq!(places(&known("openai", "o3-mini")), expected);
    assert_eq!(places(&known("anthropic", "claude-sonnet-4-6")), [(place(0, 3), RefusalKind::File)]);
    assert_eq!(places(&known("gemini", "gemini-3-pro")), []);
    assert_eq!(places(&known("vllm", "anything")), [], "what is not known is tried");
    let audio = known("openai-chat", "gpt-4o-audio-preview");
    assert!(!places(&audio).contains(&(place(0, 3), RefusalKind::File)));
    assert!(places(&audio).contains(&(place(0, 1), RefusalKind::Image)));
}

#[test]
fn the_refusal_names_the_file_what_the_model_takes_and_the_source() {
    let mut known = ModelCapabilities::default();
    known
        .add(&Claims::from([(Ability::Documents, false), (Ability::Images, true)]), &ClaimSource::Discovered);
    let refusals = check_inputs(&everything(), "some/model", &known);
    assert_eq!(
        refusals[0].to_string(),
        "messages[0].parts[2]: the file `a.pdf` (application/pdf), but some/model takes text and pictures only, as the \
         provider's list of models states; choose another model, or correct its capabilities in providers.toml"
    );
}

#[test]
fn a_fact_from_a_refusal_does_not_stop_the_request_that_can_refute_it() {
    let mut known = ModelCapabilities::default();
    known.add(&Claims::from([(Ability::Images, false)]), &ClaimSource::Learned);
    assert_eq!(places(&known), []);
}
