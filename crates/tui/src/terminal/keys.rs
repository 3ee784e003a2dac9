//! Events of the terminal as inputs.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

use crate::input::{Input, Key, Scroll};

/// Returns the input of an event, if it has a meaning.
pub(crate) fn to_input(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => to_key(key).map(Input::Key),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => {
            Some(Input::Resize { columns: usize::from(columns), rows: usize::from(rows) })
        }
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Input::Wheel(Scroll::Up)),
            MouseEventKind::ScrollDown => Some(Input::Wheel(Scroll::Down)),
            _ => None,
        },
        Event::Key(_) => None,
    }
}

fn to_key(event: KeyEvent) -> Option<Key> {
    let has = |modifier| event.modifiers.contains(modifier);
    let (control, alt) = (has(KeyModifiers::CONTROL), has(KeyModifiers::ALT));
    Some(match event.code {
        KeyCode::Char(letter) if control => return to_control(letter),
        KeyCode::Char('b') if alt => Key::WordLeft,
        KeyCode::Char('f') if alt => Key::WordRight,
        KeyCode::Char(character) => Key::Char(character),
        KeyCode::Enter if alt || has(KeyModifiers::SHIFT) => Key::NewLine,
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace if alt || control => Key::DeleteWord,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Left if control || alt => Key::WordLeft,
        KeyCode::Right if control || alt => Key::WordRight,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::Scroll(Scroll::PageUp),
        KeyCode::PageDown => Key::Scroll(Scroll::PageDown),
        KeyCode::Home if control => Key::Scroll(Scroll::Start),
        KeyCode::End if control => Key::Scroll(Scroll::End),
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}

fn to_control(letter: char) -> Option<Key> {
    Some(match letter.to_ascii_lowercase() {
        'a' => Key::Home,
        'b' => Key::Left,
        'c' => Key::Interrupt,
        'd' => Key::EndOfInput,
        'e' => Key::End,
        'f' => Key::Right,
        'g' | 'o' => Key::Editor,
        'h' => Key::Backspace,
        'j' => Key::NewLine,
        'k' => Key::DeleteToEnd,
        'l' => Key::Redraw,
        'n' => Key::Down,
        'p' => Key::Up,
        'u' => Key::DeleteToStart,
        'v' => Key::PastePicture,
        'w' => Key::DeleteWord,
        'z' => Key::Suspend,
        _ => return None,
    })
}
