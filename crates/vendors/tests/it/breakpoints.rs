//! Explicit breakpoints of OpenAI's prompt cache.

use serde_json::{Value, json};
use windlass_protocol::{Image, Message, Part, PromptCache, Request, RequestOptions, Role};
use windlass_vendors::{RequestEncoder, Vendor, Vendors};
use windlass_wire::EncodedHistory;

fn vendor(name: &str) -> Vendor {
    Vendors::builtin().get(name).unwrap().clone()
}

/// Encodes the turns of a conversation with one encoder and memory, as a run does.
fn bodies(vendor: Vendor, requests: &[Request]) -> Vec<String> {
    let encoder = RequestEncoder::for_vendor(vendor).unwrap();
    let mut memory = EncodedHistory::new();
    let encode = |request: &Request| {
        let http = encoder.encode(&encoder.prepare(request, &[]), &[], &mut memory).unwrap().http;
        String::from_utf8(http.body.to_vec()).unwrap()
    };
    requests.iter().map(encode).collect()
}

fn count(vendor: Vendor, request: Request) -> usize {
    bodies(vendor, &[request])[0].matches("prompt_cache_breakpoint").count()
}

fn request(model: &str) -> Request {
    Request::new(model, vec![Message::user("Find the callers.")]).with_system("Be brief.")
}

#[test]
fn the_first_text_of_the_user_has_the_only_breakpoint_in_each_turn() {
    for (name, field, kind) in [("openai", "input", "input_text"), ("openai-chat", "messages", "text")] {
        let first = request("gpt-5.6-sol");
        let mut second = first.clone();
        second.messages.push(Message::assistant(vec![Part::text("Done.")]));
        second.messages.push(Message::user("And the others?"));
        let bodies = bodies(vendor(name), &[first, second]);
        for body in &bodies {
            assert_eq!(body.matches("prompt_cache_breakpoint").count(), 1, "{name}: {body}");
            let body: Value = serde_json::from_str(body).unwrap();
            let user = body[field].as_array().unwrap().iter().find(|item| item["role"] == "user").unwrap();
            let text = json!({
                "type": kind, "text": "Find the callers.", "prompt_cache_breakpoint": { "mode": "explicit" },
            });
            assert_eq!(user["content"], json!([text]), "{name}");
        }
        assert!(bodies[1].starts_with(bodies[0].strip_suffix("]}").unwrap()), "{name}: the prefix stays");
    }
}

#[test]
fn models_and_servers_without_breakpoints_get_none() {
    assert_eq!(count(vendor("openai"), request("gpt-6-luna")), 1);
    assert_eq!(count(vendor("openai"), request("gpt-5.5")), 0);
    assert_eq!(count(vendor("openrouter"), request("gpt-5.6-sol")), 0);
    let off = RequestOptions::default().with_prompt_cache(PromptCache::Off);
    assert_eq!(count(vendor("openai"), request("gpt-5.6-sol").with_options(off)), 0);
    let mut elsewhere = vendor("openai");
    elsewhere.endpoint = elsewhere.endpoint.with_base_url("http://localhost:8080/v1");
    assert_eq!(count(elsewhere, request("gpt-5.6-sol")), 0);
    let file = "[vendor.openai]\nwithout-quirks = [\"cache-breakpoint\"]";
    let without = Vendors::builtin().with_file(file).unwrap().get("openai").unwrap().clone();
    assert_eq!(count(without, request("gpt-5.6-sol")), 0);
}

#[test]
fn a_text_before_a_picture_has_the_breakpoint_and_a_picture_alone_has_none() {
    let picture = Image::base64("image/png", "cG5n");
    let mut request = request("gpt-5.6-sol");
    request.messages = vec![Message::user("What is it?").with_part(picture.clone())].into();
    assert_eq!(count(vendor("openai"), request.clone()), 1);
    request.messages = vec![Message::new(Role::User, vec![picture.into()])].into();
    assert_eq!(count(vendor("openai"), request), 0);
}
