//! A conversation with tools that is rendered as text, and its answers parsed again.

use serde_json::{Value, json};
use windlass_assemble::{Answer, AssembleOptions, Assembler};
use windlass_protocol::{
    Arguments, CallId, Content, Image, Message, OutputFormat, ParallelCalls, Part, Payload, Request,
    ResultStatus, Role, StopReason, ToolCall, ToolChoice, ToolName, ToolProtocol, ToolResult, ToolSpec,
};
use windlass_stream::Chunk;
use windlass_testkit::growth;
use windlass_text_calls::{Dialect, Speech, SpokenHistory, StructuredOutput, detect};

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn read() -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}},"required":["path"]}"#;
    ToolSpec::function(name("read_file"), "Reads a file.", schema.parse().unwrap())
}

fn patch() -> ToolSpec {
    ToolSpec::Freeform { name: name("apply_patch"), description: "Patches.".into(), grammar: None }
}

fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    ToolCall::function(CallId::new(id).unwrap(), name(tool), Arguments::parse(arguments).unwrap())
}

fn result(id: &str, text: &str) -> ToolResult {
    ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, text)
}

/// A conversation of two rounds, with a call of each kind.
fn request() -> Request {
    let input = "*** Begin Patch\n<x>\n*** End Patch".to_owned();
    let patching =
        ToolCall::new(CallId::new("text_1_0").unwrap(), name("apply_patch"), Payload::Custom { input });
    let first = vec![
        Part::text("I look."),
        Part::Call(call("text_0_0", "read_file", r#"{"path":"a.txt","line":3}"#)),
        Part::Call(call("text_0_1", "read_file", r#"{"path":"b \"b\".txt"}"#)),
    ];
    Request::new(
        "small-1",
        vec![
            Message::user("mend it"),
            Message::assistant(first),
            Message::results([result("text_0_0", "one\ntwo"), result("text_0_1", "")]),
            Message::user("and be quick"),
            Message::assistant(vec![Part::Call(patching)]),
            Message::results([result("text_1_0", "patched")]),
        ],
    )
    .with_system("You are brief.")
    .with_tools(vec![read(), patch()])
}

fn speeches() -> [Speech; 4] {
    [
        Speech::text(Dialect::Roo),
        Speech::text(Dialect::Hermes),
        Speech::new_structured(StructuredOutput::Schema),
        Speech::new_structured(StructuredOutput::Json),
    ]
}

/// Returns the chunks of an answer with a text, in pieces of `size` characters.
fn hear(speech: Speech, request: &Request, words: &str, size: usize) -> Answer {
    let mut listener = speech.listener(request);
    let mut chunks = Vec::new();
    let letters: Vec<char> = words.chars().collect();
    for piece in letters.chunks(size) {
        listener.push(Chunk::text(piece.iter().collect::<String>()), &mut chunks);
    }
    listener.push(Chunk::Finish { reason: StopReason::End, raw: "stop".into() }, &mut chunks);
    listener.finish(&mut chunks);
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    assembler.finish(&mut events)
}

// P5, N6
#[test]
fn a_spoken_request_has_no_tools_and_grows_at_its_end_only() {
    for speech in speeches() {
        let whole = speech.request(&request());
        assert!(whole.tools.is_empty());
        assert!(
            whole.messages.iter().all(|message| message.role != Role::Tool && message.calls().count() == 0)
        );
        let system = whole.system.as_deref().unwrap();
        assert!(system.starts_with("You are brief.\n\n# Tools"), "{system}");
        assert!(system.contains("read_file") && system.contains("apply_patch"), "{system}");
        let mut before = request();
        before.messages.truncate(4);
        let before = speech.request(&before);
        assert_eq!(before.system, whole.system);
        assert!(whole.messages.starts_with(&before.messages));
        assert_eq!(speech.request(&request()), whole);
    }
}

// P5: rendered calls are parsed again as the same calls, with the ids of their turn (X4).
#[test]
fn a_call_rendered_as_text_parses_to_the_same_call() {
    for speech in speeches() {
        let spoken = speech.request(&request());
        let answers: Vec<&Message> =
            spoken.messages.iter().filter(|message| message.role == Role::Assistant).collect();
        for (turn, (place, original)) in
            [(1, &request().messages[1]), (4, &request().messages[4])].iter().enumerate()
        {
            let mut asked = request();
            asked.messages.truncate(*place);
            for size in [1, 7, 10_000] {
                let heard = hear(speech, &asked, &answers[turn].text(), size);
                let message = heard.message().unwrap();
                let calls: Vec<&ToolCall> = message.calls().collect();
                assert_eq!(calls, original.calls().collect::<Vec<_>>(), "{speech:?}");
                assert_eq!(message.text().trim_end(), original.text());
            }
        }
    }
}

// R8, R1
#[test]
fn results_are_in_the_next_message_in_call_order_with_images() {
    let shot = Content::Image(Image::base64("image/png", "aGk="));
    let mut request = request();
    let pictured = ToolResult::new(CallId::new("text_0_1").unwrap(), ResultStatus::Ok, vec![shot]);
    request.messages[2] = Message::results([result("text_0_0", "one"), pictured]);
    let spoken = Speech::text(Dialect::Roo).request(&request);
    let results = &spoken.messages[2];
    assert_eq!(results.role, Role::User);
    assert!(matches!(&results.parts[1], Part::Image(_)));
    // The human's text after the results is in the same message, because many templates require alternating roles.
    assert!(matches!(&results.parts[2], Part::Text(words) if words.text == "and be quick"));
    assert!(results.text().starts_with("[read_file] Result:\none\n[read_file] Result:\n(see the image)"));
    assert_eq!(spoken.messages.len(), 5);
}

#[test]
fn a_structured_answer_is_held_to_a_schema_with_the_tools_in_it() {
    let spoken = Speech::new_structured(StructuredOutput::Schema).request(&request());
    let OutputFormat::Schema(schema) = spoken.output else { panic!("{:?}", spoken.output) };
    let value: Value = schema.schema.to_value();
    let calls = &value["properties"]["toolCalls"]["items"]["anyOf"];
    assert_eq!(calls[0]["properties"]["name"]["enum"], json!(["read_file"]));
    assert_eq!(calls[0]["properties"]["arguments"]["required"], json!(["path"]));
    assert_eq!(calls[1]["properties"]["arguments"]["required"], json!(["input"]));
    let at = |word| schema.schema.as_str().find(word).unwrap();
    assert!(at("\"content\"") < at("\"toolCalls\"") && at("\"toolCalls\"") < at("\"needsMoreWork\""));
    assert_eq!(Speech::new_structured(StructuredOutput::Json).request(&request()).output, OutputFormat::Json);
    assert_eq!(Speech::text(Dialect::Roo).request(&request()).output, OutputFormat::Text);
}

#[test]
fn tool_choice_and_parallel_calls_become_prompt_text() {
    let told = |choice, parallel| {
        let request = request().with_tool_choice(choice).with_parallel_calls(parallel);
        Speech::text(Dialect::Roo).request(&request).system.unwrap()
    };
    let plain = told(ToolChoice::Auto, ParallelCalls::ProviderDefault);
    for (choice, parallel, words) in [
        (ToolChoice::None, ParallelCalls::Allow, "Do not call any tool"),
        (ToolChoice::Required, ParallelCalls::Allow, "Call at least one tool"),
        (ToolChoice::Named(name("read_file")), ParallelCalls::Allow, "Call the tool `read_file`"),
        (ToolChoice::Auto, ParallelCalls::Forbid, "one tool at the most"),
    ] {
        let told = told(choice, parallel);
        assert!(told.contains(words) && told.starts_with(&plain) && !plain.contains(words), "{told}");
    }
}

#[test]
fn a_request_without_tools_is_not_changed() {
    let plain = Request::new("small-1", vec![Message::user("hi")]).with_system("You are brief.");
    for speech in speeches() {
        assert_eq!(speech.request(&plain), plain);
    }
}

// S10
#[test]
fn a_truncated_call_in_text_is_not_a_call() {
    for (speech, words) in [
        (Speech::text(Dialect::Roo), "<read_file>\n<path>a.t"),
        (
            Speech::new_structured(StructuredOutput::Schema),
            r#"{"content":"","toolCalls":[{"name":"read_file","arguments":{"path":"a"#,
        ),
        (
            Speech::text(Dialect::Hermes),
            "<tool_call>\n{\"name\": \"apply_patch\", \"arguments\": {\"input\": \"x",
        ),
    ] {
        let heard = hear(speech, &request(), words, 5);
        assert_eq!(heard.good_calls().count(), 0, "{words}");
    }
}

// P5
#[test]
fn the_newest_call_determines_the_protocol_of_a_history() {
    let tools = [read(), patch()];
    let history = |answers: &[&str]| -> Vec<Message> {
        let turns = answers
            .iter()
            .flat_map(|words| [Message::user("go"), Message::assistant(vec![Part::text(*words)])]);
        turns.collect()
    };
    let text = "<read_file>\n<path>a</path>\n</read_file>";
    let structured =
        r#"{"content":"","toolCalls":[{"name":"read_file","arguments":{"path":"a"}}],"needsMoreWork":true}"#;
    assert_eq!(detect(&history(&["hello"]), &tools), None);
    assert_eq!(detect(&history(&[text, "done"]), &tools), Some(ToolProtocol::Text));
    assert_eq!(detect(&history(&[text, structured]), &tools), Some(ToolProtocol::Structured));
    assert_eq!(detect(&history(&[text]), &[patch()]), None);
    let mut native = history(&[text]);
    native.push(Message::assistant(vec![Part::Call(call("toolu_1", "read_file", r#"{"path":"a"}"#))]));
    assert_eq!(detect(&native, &tools), Some(ToolProtocol::Native));
}

/// A conversation of so many turns, each with a call and its result.
fn turns(count: usize) -> Request {
    let mut request = Request::new("small-1", vec![Message::user("mend it")]).with_tools(vec![read()]);
    add_turns(&mut request, 0..count);
    request
}

fn add_turns(request: &mut Request, turns: std::ops::Range<usize>) {
    for turn in turns {
        let id = format!("text_{turn}_0");
        let parts = vec![Part::text("I look."), Part::Call(call(&id, "read_file", r#"{"path":"a.txt"}"#))];
        request.messages.push(Message::assistant(parts));
        request.messages.push(Message::results([result(&id, &"line\n".repeat(20))]));
    }
}

// N6
#[test]
fn the_history_cache_changes_no_output_and_shares_messages() {
    for speech in speeches() {
        let mut memory = SpokenHistory::default();
        let mut request = turns(3);
        let mut before = speech.request_onto(&request, &mut memory);
        for turn in 3..80 {
            add_turns(&mut request, turn..turn + 1);
            if turn % 7 == 0 {
                request.messages.push(Message::user("and be quick"));
            }
            let told = speech.request_onto(&request, &mut memory);
            assert_eq!(told, speech.request(&request));
            // The user's text after a result becomes one message with the result.
            let shared = told.messages.shared_prefix(&before.messages);
            assert!(shared + 1 >= before.messages.len(), "{shared} of {}", before.messages.len());
            before = told;
        }
        // Another conversation, and a shorter one.
        for other in [turns(2), turns(90)] {
            assert_eq!(speech.request_onto(&other, &mut memory), speech.request(&other));
        }
    }
}

/// A run that has come to a turn. Each measurement adds a turn, and after 40 of them the run starts anew.
struct MeasuredRun<'a> {
    speech: &'a Speech,
    turn: usize,
    next: usize,
    request: Request,
    memory: SpokenHistory,
}

impl<'a> MeasuredRun<'a> {
    fn new(speech: &'a Speech, turn: usize) -> Self {
        let (request, mut memory) = (turns(turn), SpokenHistory::default());
        let _ = speech.request_onto(&request, &mut memory);
        Self { speech, turn, next: turn, request, memory }
    }

    #[expect(clippy::disallowed_methods, reason = "it measures time")]
    fn measure_turn(&mut self) -> std::time::Duration {
        if self.next == self.turn + 40 {
            *self = Self::new(self.speech, self.turn);
        }
        add_turns(&mut self.request, self.next..self.next + 1);
        self.next += 1;
        // A turn takes microseconds, less than reading the processor time of the thread.
        let begin = std::time::Instant::now();
        let told = self.speech.request_onto(&self.request, &mut self.memory);
        let listener = self.speech.listener_after(&self.request, &self.memory);
        let took = begin.elapsed();
        drop((told, listener));
        took
    }
}

// L2: when each turn rendered the whole conversation, a turn took 23.6 ms at turn 800 and 2.2 ms at turn 100.
#[test]
fn the_cost_of_a_turn_does_not_grow_with_the_run() {
    for speech in [Speech::text(Dialect::Roo), Speech::new_structured(StructuredOutput::Schema)] {
        let (mut early, mut late) = (MeasuredRun::new(&speech, 100), MeasuredRun::new(&speech, 800));
        let is_flat = |early: std::time::Duration, late: std::time::Duration| late < early.mul_f64(1.2);
        let (early, late) = growth::compare(|| early.measure_turn(), || late.measure_turn(), is_flat);
        println!("{early:?} at turn 100, {late:?} at turn 800");
        assert!(is_flat(early, late), "{early:?} at turn 100, {late:?} at turn 800");
    }
}
