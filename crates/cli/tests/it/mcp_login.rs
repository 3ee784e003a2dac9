//! `windlass mcp login` at an authority of another origin that is not public (library: `SignIn::with_authority`).

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::program::{Place, text};

/// Serves HTTP on a port of this machine. The function is given the own origin, a path and a body.
pub(crate) fn serve(answer: impl Fn(&str, &str, &str) -> (u16, String, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let own = origin.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            respond(stream, &own, &answer);
        }
    });
    origin
}

fn respond(mut stream: TcpStream, own: &str, answer: &impl Fn(&str, &str, &str) -> (u16, String, String)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length) = (String::new(), 0);
    let _ = reader.read_line(&mut first);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() <= 2 {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = String::new();
    let _ = reader.take(length).read_to_string(&mut body);
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (status, header, body) = answer(own, target.split('?').next().unwrap_or_default(), &body);
    let head =
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-type: application/json\r\n{header}");
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

fn authority() -> String {
    serve(|own, path, _| {
        let body = match path {
            "/.well-known/oauth-authorization-server" => json!({
                "issuer": own, "authorization_endpoint": format!("{own}/authorize"),
                "token_endpoint": format!("{own}/token"), "registration_endpoint": format!("{own}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            }),
            "/register" => json!({"client_id": "client-1", "redirect_uris": []}),
            "/token" => json!({"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600}),
            _ => return (404, String::new(), String::new()),
        };
        (200, String::new(), body.to_string())
    })
}

/// An MCP server that wants a token of an authority.
fn guarded(authority: String) -> String {
    serve(move |own, path, _| match path {
        "/mcp" => {
            let metadata = format!("{own}/.well-known/oauth-protected-resource/mcp");
            (401, format!("www-authenticate: Bearer resource_metadata=\"{metadata}\"\r\n"), String::new())
        }
        path if path.starts_with("/.well-known/oauth-protected-resource") => {
            let body = json!({"resource": format!("{own}/mcp"), "authorization_servers": [authority]});
            (200, String::new(), body.to_string())
        }
        _ => (404, String::new(), String::new()),
    })
}

/// Returns a decoded value of a URL's query.
pub(crate) fn word(url: &str, name: &str) -> String {
    let query = url.split_once('?').unwrap().1;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).unwrap();
    let mut decoded = Vec::new();
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    text(&decoded)
}

/// Requests the URL to which the authority would redirect a browser.
fn come_back(url: &str) {
    let back = word(url, "redirect_uri");
    let (address, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path}?code=c-1&state={} HTTP/1.1\r\nhost: x\r\n\r\n", word(url, "state")).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
}

fn login(place: &Place) -> Command {
    let mut command = place.command(&["mcp", "login", "far", "--no-browser"]);
    command.env("WINDLASS_CONFIG_DIR", place.folder.path().join("settings"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_private_authority_is_reached_only_where_the_configuration_names_it() {
    let place = Place::new();
    let authority = authority();
    let entry = format!("[mcp_servers.far]\nurl = \"{}/mcp\"\n", guarded(authority.clone()));
    let config = place.folder.path().join("settings/config.toml");
    fs::create_dir(config.parent().unwrap()).unwrap();
    fs::write(&config, &entry).unwrap();
    let refused = login(&place).output().unwrap();
    let told = text(&refused.stderr);
    assert!(
        !refused.status.success() && told.contains(&format!("oauth_authorities = [\"{authority}\"]")),
        "{told}"
    );
    for wrong in ["login.example", "https://a/b", "https://a?b", "ftp://a", "https://*"] {
        fs::write(&config, format!("{entry}oauth_authorities = [\"{wrong}\"]\n")).unwrap();
        let told = text(&login(&place).output().unwrap().stderr);
        assert!(
            told.contains("`oauth_authorities` has") && told.contains("not an origin"),
            "{wrong}: {told}"
        );
    }

    fs::write(&config, format!("{entry}oauth_authorities = [\"{authority}\"]\n")).unwrap();
    let mut process = login(&place).spawn().unwrap();
    let mut told = String::new();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let url = loop {
        let line = lines.next().unwrap_or_else(|| panic!("no address in {told}")).unwrap();
        if line.trim().starts_with(&authority) {
            break line.trim().to_owned();
        }
        told += &line;
    };
    come_back(&url);
    let rest: Vec<_> = lines.map_while(Result::ok).collect();
    let output = process.wait_with_output().unwrap();
    assert!(text(&output.stdout).contains("signed in to far"), "{} {rest:?}", text(&output.stdout));
}

#[test]
fn project_authorities_are_shown_before_approval_and_bound_to_it() {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    let config = place.project().join(".windlass/config.toml");
    let entry = "[mcp_servers.far]\nurl = \"https://127.0.0.1:1/mcp\"\n";
    fs::write(&config, entry).unwrap();
    let listed = || text(&place.run(&["mcp", "trust"]).stdout);
    assert!(place.run(&["mcp", "trust", "far"]).status.success());
    assert!(!listed().contains("not trusted"), "{}", listed());
    fs::write(&config, format!("{entry}oauth_authorities = [\"https://login.corp\"]\n")).unwrap();
    let shown = listed();
    assert!(
        shown.contains("not trusted") && shown.contains("sign-in may reach https://login.corp"),
        "{shown}"
    );
    assert!(shown.contains("its entry has changed since your approval"), "{shown}");
    let wrong = "[mcp_servers.far]\ncommand = \"x\"\noauth_authorities = [\"https://login.corp\"]\n";
    fs::write(&config, wrong).unwrap();
    let told = text(&place.run(&["mcp", "list"]).stderr);
    assert!(told.contains("`oauth_authorities` with `command`"), "{told}");
    for address in ["https://10.0.0.1", "https://10.0.0.1:8443/", "https://[fd00::1]"] {
        fs::write(&config, format!("{entry}oauth_authorities = [\"{address}\"]\n")).unwrap();
        let told = text(&place.run(&["mcp", "list"]).stderr);
        assert!(told.contains("name the authority by its host's name"), "{address}: {told}");
    }
}
