//! Splits of reading, limits and growth of the buffer.

use super::*;

/// A linear congruential generator with the constants of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn call(id: &str) -> CallId {
    CallId::new(id).unwrap()
}

fn event(random: &mut Random, number: u64) -> Event {
    let either = || call(if number.is_multiple_of(2) { "a" } else { "b" });
    let text = format!("é{number},").repeat(usize::try_from(number % 3).unwrap_or(0));
    match random.below(10) {
        0..=3 => Event::Text { text },
        4 | 5 => Event::CallArguments { call: either(), delta: text },
        6 => Event::Reasoning { text },
        7 => Event::CallProgress { call: either(), text },
        8 if number.is_multiple_of(3) => Event::CallNote { call: either(), text },
        8 => Event::CallPreview { call: either(), text },
        _ => Event::CallRunning { call: call(&number.to_string()) },
    }
}

/// The texts of events by their source, and all other events.
fn sums<'a>(events: impl Iterator<Item = &'a Event>) -> (BTreeMap<String, String>, Vec<Event>) {
    let (mut texts, mut others) = (BTreeMap::<String, String>::new(), Vec::new());
    for event in events {
        match to_piece(event) {
            Some((source, text)) => texts.entry(format!("{source:?}")).or_default().push_str(text),
            None => others.push(event.clone()),
        }
    }
    (texts, others)
}

/// Reads from a number on, and checks that the numbers account for every event.
fn read_some(buffer: &EventBuffer, next: &mut u64, most: u64, out: &mut Vec<Event>) -> u64 {
    let mut missing = 0;
    for _ in 0..most {
        let Some(read) = buffer.read(*next) else { break };
        assert_eq!(*next + read.missing + read.merged, read.number);
        *next = read.number + 1;
        missing += read.missing;
        out.push(read.event);
    }
    missing
}

#[test]
fn any_split_of_reading_gives_the_same_texts_and_events() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let (mut buffer, mut pushed, mut read, mut next) =
            (EventBuffer::new(EventBufferLimits::default()), Vec::new(), Vec::new(), 1);
        for number in 0..200 {
            let event = event(&mut random, number);
            pushed.push(event.clone());
            buffer.push(event);
            if random.below(4) == 0 {
                let most = random.below(9);
                assert_eq!(read_some(&buffer, &mut next, most, &mut read), 0);
            }
        }
        assert_eq!(read_some(&buffer, &mut next, u64::MAX, &mut read), 0);
        assert_eq!(sums(read.iter()), sums(pushed.iter()), "seed {seed}");
        assert_eq!(buffer.count(), 200);
        // From every number on, a reader gets the rest exactly.
        for from in 1..=200 {
            let (mut rest, mut next) = (Vec::new(), from);
            read_some(&buffer, &mut next, u64::MAX, &mut rest);
            let skipped = usize::try_from(from - 1).unwrap_or(0);
            assert_eq!(sums(rest.iter()), sums(pushed.iter().skip(skipped)), "seed {seed} from {from}");
        }
    }
}

#[test]
fn limits_drop_the_oldest_pieces_and_nothing_else() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let limits = EventBufferLimits::default().with_bytes(2_000).with_pieces(12);
        let (mut buffer, mut pushed) = (EventBuffer::new(limits), Vec::new());
        for number in 0..500 {
            let event = event(&mut random, number);
            pushed.push(event.clone());
            buffer.push(event);
            assert!(buffer.droppable.len() <= 12 && buffer.bytes <= 2_000, "{}", buffer.bytes);
        }
        let (mut read, mut next) = (Vec::new(), 1);
        let missing = read_some(&buffer, &mut next, u64::MAX, &mut read);
        assert!(missing > 100, "seed {seed}: {missing}");
        let kept = |events: &[Event]| -> Vec<Event> {
            events.iter().filter(|event| matches!(event, Event::CallRunning { .. })).cloned().collect()
        };
        assert_eq!(kept(&read), kept(&pushed));
        // The newest events are complete.
        let newest = pushed.iter().rev().take(3).rev();
        let (mut last, mut next) = (Vec::new(), 498);
        assert_eq!(read_some(&buffer, &mut next, u64::MAX, &mut last), 0);
        assert_eq!(sums(last.iter()), sums(newest));
    }
}

#[test]
fn a_piece_larger_than_the_limit_is_readable_until_the_next() {
    let mut buffer = EventBuffer::new(EventBufferLimits::default().with_bytes(10).with_pieces(0));
    for text in ["first, long", "second, long"] {
        buffer.push(Event::Text { text: text.to_owned() });
        let event = Event::Text { text: text.to_owned() };
        assert_eq!(buffer.read(buffer.count()).map(|read| read.event), Some(event));
    }
    assert_eq!(buffer.read(1).map(|read| (read.number, read.missing)), Some((2, 1)));
    assert_eq!(buffer.read(3), None);
    assert_eq!(buffer.read(u64::MAX), None);
}

#[test]
fn a_long_run_takes_linear_time() {
    let mut buffer = EventBuffer::new(EventBufferLimits::default().with_bytes(1 << 16));
    let mut next = 1;
    for number in 0..300_000_u64 {
        let text = "word ".to_owned();
        buffer.push(if number.is_multiple_of(100) { Event::TextEnded } else { Event::Text { text } });
        if number.is_multiple_of(7)
            && let Some(read) = buffer.read(next)
        {
            next = read.number + 1;
        }
    }
    assert_eq!(buffer.count(), 300_000);
}

// The buffer once recognized events of sub-agents by a list of names beside the enum.
#[test]
fn events_of_sub_agents_can_be_dropped_like_those_of_the_run() {
    let text = || "12345".to_owned();
    let droppable = [
        Event::Text { text: text() },
        Event::Reasoning { text: text() },
        Event::CallArguments { call: call("a"), delta: text() },
        Event::CallProgress { call: call("a"), text: text() },
        Event::CallNote { call: call("a"), text: text() },
        Event::CallPreview { call: call("a"), text: text() },
    ];
    let nested = |event: &Event| Event::AgentEvent {
        call: call("root"),
        agents: vec!["critic".to_owned()],
        happened: serde_json::to_value(event).unwrap(),
    };
    for event in &droppable {
        assert_eq!(droppable_size(&nested(event)), Some(ENTRY_BYTES + 5), "{event:?}");
        // An agent of the sub-agent.
        assert_eq!(droppable_size(&nested(&nested(event))), Some(ENTRY_BYTES + 5), "{event:?}");
    }
    assert_eq!(droppable_size(&nested(&Event::CallRunning { call: call("a") })), None);
    let unknown = serde_json::json!({"event": "of_a_later_version", "text": "12345"});
    let unknown = Event::AgentEvent { call: call("root"), agents: Vec::new(), happened: unknown };
    assert_eq!(droppable_size(&unknown), None);
}
