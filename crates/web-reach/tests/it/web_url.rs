//! URLs are checked by their meaning.

use windlass_web_reach::{UrlRefusal, WebUrl};

#[track_caller]
fn check(text: &str, host: &str, port: u16) {
    let url = WebUrl::parse(text).unwrap();
    assert_eq!((url.host(), url.port()), (host, port), "{text}");
    assert_eq!(url.as_str().parse::<String>().unwrap(), url.to_string());
    assert_eq!(WebUrl::parse(url.as_str()).unwrap(), url, "what it writes means the same");
}

#[track_caller]
fn refused(text: &str, is_expected: impl Fn(&UrlRefusal) -> bool) {
    let refusal = WebUrl::parse(text).unwrap_err();
    assert!(is_expected(&refusal), "{text}: {refusal}");
}

#[test]
fn spellings_of_an_address_are_the_address() {
    for loopback in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "１２７.０.０.１",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "127.0.0.1.",
    ] {
        check(&format!("http://{loopback}/"), "127.0.0.1", 80);
    }
    check("http://[::ffff:7f00:1]/", "::ffff:127.0.0.1", 80);
    check("http://%31%32%37.0.0.1/", "127.0.0.1", 80);
    check("http:\\\\127.0.0.1\\x", "127.0.0.1", 80);
    check("http:127.0.0.1", "127.0.0.1", 80);
}

#[test]
fn names_have_one_form() {
    check("https://Docs.RS./x#y", "docs.rs", 443);
    check("https://docs%2Ers:8443", "docs.rs", 8443);
    check("https://dоcs.rs/", "xn--dcs-sed.rs", 443);
    check("http://localhost%2e/", "localhost", 80);
    check("http://ⓛocalhost/", "localhost", 80);
    check("https://docs.rs.evil.test/", "docs.rs.evil.test", 443);
    assert_eq!(
        WebUrl::parse("https://docs.rs/\u{202e}kcatta").unwrap().as_str(),
        "https://docs.rs/%E2%80%AEkcatta"
    );
}

#[test]
fn invalid_web_addresses_are_refused() {
    for text in [
        "file:///etc/passwd",
        "data:text/html,<h1>x",
        "ftp://h/",
        "gopher://h/",
        "javascript:1",
        "blob:http://h/x",
    ] {
        refused(text, |refusal| matches!(refusal, UrlRefusal::Scheme { .. }));
    }
    for text in
        ["http://u@h/", "http://:p@h/", "http://docs.rs@127.0.0.1/", "http://docs.rs%40x:y@127.0.0.1/"]
    {
        refused(text, |refusal| *refusal == UrlRefusal::UserInfo);
    }
    for text in [
        "",
        "h",
        "//h/",
        "http://",
        "http://[fe80::1%25eth0]/",
        "http://[::1",
        "http://1.2.3.4.5/",
        "http://h:99999/",
        "http://a b/",
        "http://256.256.256.256/",
    ] {
        refused(text, |refusal| matches!(refusal, UrlRefusal::Unreadable { .. }));
    }
    for text in ["http://a..b/", "http://.a/", "http://a../"] {
        refused(text, |refusal| *refusal == UrlRefusal::Host);
    }
    refused(&format!("http://h/{}", "x".repeat(9_000)), |refusal| {
        matches!(refusal, UrlRefusal::TooLong { .. })
    });
}
