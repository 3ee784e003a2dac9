//! Tests of the names of keys in actions.

use super::*;

const VIEW: Size = Size { width: 900, height: 600 };

#[track_caller]
fn check_point(text: &str, expected: Option<(u32, u32)>) {
    let found = Point::parse(text, VIEW).ok().map(|point| (point.x, point.y));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_coordinate_must_be_inside_the_viewport() {
    check_point("450,300", Some((450, 300)));
    check_point(" 0 , 0 ", Some((0, 0)));
    check_point("899,599", Some((899, 599)));
    check_point("900,599", None);
    check_point("450,600", None);
    check_point("-1,5", None);
    check_point("450", None);
    check_point("450,300,2", None);
    check_point("4294967295,4294967295", None);
    check_point("", None);
}

#[test]
fn a_coordinate_of_a_scaled_picture_is_scaled_back() {
    check_point("225,150@450x300", Some((450, 300)));
    check_point("900,600@1800x1200", Some((450, 300)));
    check_point("1,1@0x0", None);
    check_point("4294967295,1@1x600", None);
}

#[track_caller]
fn check_size(text: &str, expected: Option<(u32, u32)>) {
    assert_eq!(Size::parse(text).ok().map(|size| (size.width, size.height)), expected, "{text}");
}

#[test]
fn a_size_is_bounded() {
    check_size("1280,720", Some((1280, 720)));
    check_size("1280x720", Some((1280, 720)));
    check_size("199,720", None);
    check_size("1280,2001", None);
    check_size("99999999999,1", None);
    check_size("large", None);
}

#[track_caller]
fn check_key(text: &str, expected: Option<(u8, &str, Option<&str>)>) {
    let found = Press::parse(text).ok();
    let found = found.as_ref().map(|press| (press.modifiers, press.key.as_str(), press.text.as_deref()));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_key_is_a_name_or_one_character() {
    check_key("Enter", Some((0, "Enter", Some("\r"))));
    check_key("enter", Some((0, "Enter", Some("\r"))));
    check_key("a", Some((0, "a", Some("a"))));
    check_key("+", Some((0, "+", Some("+"))));
    check_key("Shift+Tab", Some((8, "Tab", None)));
    check_key("Control+a", Some((2, "a", None)));
    check_key("Control++", Some((2, "+", None)));
    check_key("Ctrl+Alt+Delete", Some((3, "Delete", None)));
    check_key("ß", Some((0, "ß", Some("ß"))));
    check_key("Hyper+a", None);
    check_key("Entree", None);
    check_key("", None);
}
