//! Tests of the forms.

use super::{LONGEST, forms_of_value, pieces};

#[track_caller]
fn check(value: &str, forms: &[&str]) {
    let all = forms_of_value(value);
    for form in forms {
        assert!(all.iter().any(|known| known.as_str() == *form), "{form} is not a form of {value}");
    }
}

#[test]
fn a_value_has_the_forms_that_programs_give_it() {
    check(
        "pa ss/w\"ö",
        &[
            "pa ss/w\"ö",
            "70612073732f7722c3b6",
            "70612073732F7722C3B6",
            "pa%20ss%2Fw%22%C3%B6",
            "pa%20ss%2fw%22%c3%b6",
            "pa%20ss/w%22%C3%B6",
            "pa+ss%2Fw%22%C3%B6",
            "pa ss/w\\\"ö",
            "pa ss\\/w\\\"ö",
            "pa ss/w\\\"\\u00f6",
            "pa ss/w\\\\\\\"ö",
            "cGEgc3MvdyLDtg==",
            "cGEgc3MvdyLDtg%3D%3D",
        ],
    );
    // security 25
    check("hj-k", &["%68%6A%2D%6B", "%68%6a%2d%6b", "68 6a 2d 6b", "68 6A 2D 6B"]);
    check("hj-k", &["\\u0068\\u006a\\u002d\\u006b", "\\u0068\\u006A\\u002D\\u006B"]);
    check(
        "a<b>&\"'",
        &["a&lt;b&gt;&amp;&quot;'", "a&lt;b&gt;&amp;&quot;&#39;", "a&lt;b&gt;&amp;&quot;&#x27;"],
    );
    check("hj-k", &["&#104;&#106;&#45;&#107;", "&#x68;&#x6a;&#x2d;&#x6b;"]);
    check("a-b_c", &["a%2Db%5Fc", "a%2db%5fc"]);
    check("a<b>&c!", &["a\\u003cb\\u003e\\u0026c!", "a%3Cb%3E%26c!", "a%3Cb%3E%26c%21"]);
    check("\u{1d11e}violin", &["\\ud834\\udd1eviolin", "\\uD834\\uDD1Eviolin"]);
}

#[test]
fn a_plain_value_has_few_forms() {
    // The forms are: the value, hexadecimal in two cases and with spaces, base64 at three offsets, padded and
    // complete, percent-encoded, `\u` escapes and HTML character references.
    assert!(forms_of_value("abcdef0123456789").len() <= 18, "{}", forms_of_value("abcdef0123456789").len());
}

#[test]
fn a_long_value_is_looked_for_in_pieces_of_one_length() {
    for value in ["é".repeat(5_000), "x".repeat(LONGEST), "y".repeat(LONGEST + 1)] {
        let all: Vec<&str> = pieces(&value).collect();
        assert!(all.iter().all(|piece| (LONGEST - 3..=LONGEST).contains(&piece.len())), "{}", all.len());
        assert!(value.starts_with(all[0]) && value.ends_with(all[all.len() - 1]));
    }
    assert_eq!(pieces("short").collect::<Vec<_>>(), ["short"]);
}
