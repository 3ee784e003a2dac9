//! Tests of the styles of parameters.

use serde_json::json;

use super::*;

fn form(style: Style, explode: bool) -> Form<'static> {
    Form { name: "a b", style, explode }
}

// The examples of the OpenAPI specification, "Style Examples", with a name and values that need encoding.
#[test]
fn path_values_have_the_style_of_their_parameter() {
    let (list, object) = (json!(["x", "y/z"]), json!({"k": "v", "l": 1}));
    for (style, explode, list_text, object_text) in [
        (Style::Simple, false, "x,y%2Fz", "k,v,l,1"),
        (Style::Simple, true, "x,y%2Fz", "k=v,l=1"),
        (Style::Label, false, ".x,y%2Fz", ".k,v,l,1"),
        (Style::Label, true, ".x.y%2Fz", ".k=v.l=1"),
        (Style::Matrix, false, ";a%20b=x,y%2Fz", ";a%20b=k,v,l,1"),
        (Style::Matrix, true, "a%20b=x;a%20b=y%2Fz", "k=v;l=1"),
    ] {
        let expected =
            if style == Style::Matrix && explode { format!(";{list_text}") } else { list_text.to_owned() };
        assert_eq!(path_value(form(style, explode), &list).unwrap(), expected);
        let expected = if style == Style::Matrix && explode {
            format!(";{object_text}")
        } else {
            object_text.to_owned()
        };
        assert_eq!(path_value(form(style, explode), &object).unwrap(), expected);
    }
    assert_eq!(path_value(form(Style::Matrix, true), &json!(5)).unwrap(), ";a%20b=5");
    assert_eq!(path_value(form(Style::Matrix, false), &json!(5)).unwrap(), ";a%20b=5");
}

#[test]
fn query_fields_have_the_style_of_their_parameter() {
    let (list, object) = (json!(["x", "y&z"]), json!({"k": "v", "l": true}));
    for (style, explode, list_text, object_text) in [
        (Style::Form, true, "a%20b=x&a%20b=y%26z", "k=v&l=true"),
        (Style::Form, false, "a%20b=x,y%26z", "a%20b=k,v,l,true"),
        (Style::SpaceDelimited, false, "a%20b=x%20y%26z", "a%20b=k,v,l,true"),
        (Style::PipeDelimited, false, "a%20b=x%7Cy%26z", "a%20b=k,v,l,true"),
        (Style::DeepObject, true, "a%20b=x&a%20b=y%26z", "a%20b%5Bk%5D=v&a%20b%5Bl%5D=true"),
    ] {
        assert_eq!(query_fields(form(style, explode), &list).unwrap().join("&"), list_text);
        assert_eq!(query_fields(form(style, explode), &object).unwrap().join("&"), object_text);
    }
    assert_eq!(
        query_fields(form(Style::Json, true), &object).unwrap().join("&"),
        "a%20b=%7B%22k%22%3A%22v%22%2C%22l%22%3Atrue%7D"
    );
    let nested = json!({"k": ["deep"]});
    let error = query_fields(form(Style::Form, true), &nested).unwrap_err();
    assert!(error.starts_with("`a b` has a list or an object inside of another one"));
}

#[test]
fn headers_have_no_line_breaks() {
    assert_eq!(header_value(form(Style::Simple, false), &json!(["x", 1])).unwrap(), "x,1");
    for text in ["a\r\nx: y", "a\nb", "ä", "a\0"] {
        assert!(header_value(form(Style::Simple, false), &json!(text)).is_err());
    }
}
