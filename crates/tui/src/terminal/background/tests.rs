//! Tests of the filter of reports.

use proptest::prelude::*;

use super::*;

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

/// The keys that crossterm makes of a text.
fn keys(text: &str) -> Vec<Event> {
    let mut keys = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        keys.push(match character {
            '\u{1b}' => key(KeyCode::Char(characters.next().unwrap()), KeyModifiers::ALT),
            '\u{7}' => key(KeyCode::Char('g'), KeyModifiers::CONTROL),
            other => key(KeyCode::Char(other), KeyModifiers::NONE),
        });
    }
    keys
}

fn filter(events: Vec<Event>) -> (Vec<Event>, Option<Background>) {
    let (mut filter, mut passed, mut found) = (ReportFilter::waiting(), VecDeque::new(), None);
    for event in events {
        found = filter.push(event, &mut passed).or(found);
    }
    (passed.into(), found)
}

#[test]
fn a_background_report_is_removed_from_the_keys_around_it() {
    for (report, background) in [
        ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", Background::Light),
        ("\u{1b}]11;rgb:1e1e/1e1e/2e2e\u{7}", Background::Dark),
        ("\u{1b}]11;rgba:fdfd/f6f6/e3e3/ffff\u{1b}\\", Background::Light),
        ("\u{1b}]11;rgb:00/2b/36\u{7}", Background::Dark),
        ("\u{1b}]11;rgb:F/F/D\u{7}", Background::Light),
    ] {
        let events = [keys("fix "), keys(report), keys("it")].concat();
        assert_eq!(filter(events), (keys("fix it"), Some(background)), "{report:?}");
    }
}

#[test]
fn a_terminator_in_two_parts_and_a_resize_inside_belong_to_no_key() {
    let mut events = keys("\u{1b}]11;rgb:ffff/ffff/");
    events.push(Event::Resize(80, 24));
    events.extend(keys("ffff"));
    events.push(key(KeyCode::Esc, KeyModifiers::NONE));
    events.extend(keys("\\a"));
    let (passed, found) = filter(events);
    assert_eq!(passed, [vec![Event::Resize(80, 24)], keys("a")].concat());
    assert_eq!(found, Some(Background::Light));
}

#[test]
fn keys_that_are_not_a_report_pass_in_their_order() {
    for text in ["\u{1b}]", "\u{1b}]x", "\u{1b}]11;rgx", "\u{1b}]11;rgb:12/zz", "\u{1b}]12;rgb:0/0/0\u{7}"] {
        let (passed, found) = filter([keys(text), keys("q!")].concat());
        assert_eq!((passed, found), ([keys(text), keys("q!")].concat(), None), "{text:?}");
    }
    // After the terminal has reported its background (OSC 11), the filter passes every key at once, also those of a
    // second report.
    let report = keys("\u{1b}]11;rgb:0/0/0\u{7}");
    let (passed, _) = filter([report.clone(), report.clone()].concat());
    assert_eq!(passed, report);
}

proptest! {
    #[test]
    fn no_key_is_lost(text in "(\u{1b}[\\]x]|[1;rgb:/f\u{7}]|[a-z]){0,40}") {
        // Held keys pass when a key follows that cannot continue a report.
        let events = [keys(&text), keys("~")].concat();
        let (passed, found) = filter(events.clone());
        prop_assert!(found.is_some() || passed == events);
    }
}
