//! Texts that the literal lexer accepts or refuses, with the positions.

use windlass_command::{Command, CommandLimits, ErrorKind, Operator, Redirection, Stream};

#[track_caller]
fn check(text: &str, expected: &[&[&str]]) {
    let command = Command::parse(text).unwrap();
    let argv: Vec<Vec<&str>> =
        command.commands().iter().map(|simple| simple.argv().iter().map(String::as_str).collect()).collect();
    assert_eq!(argv, expected, "{text}");
}

#[track_caller]
fn refused(text: &str, kind: ErrorKind, offset: usize) {
    let error = Command::parse(text).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{text:?}");
}

#[test]
fn words_are_literal() {
    // H7
    check("ls", &[&["ls"]]);
    check("  ls   -la  ", &[&["ls", "-la"]]);
    check("grep -rn 'fn main' src", &[&["grep", "-rn", "fn main", "src"]]);
    check(r#"echo "plain text" a'b'"c" '' "#, &[&["echo", "plain text", "abc", ""]]);
    check(r#"echo '$x `y` \ "' "it's""#, &[&["echo", r#"$x `y` \ ""#, "it's"]]);
    check("rg -g'*.rs' main", &[&["rg", "-g*.rs", "main"]]);
    check("cat a=b c:d @e %f +g,h", &[&["cat", "a=b", "c:d", "@e", "%f", "+g,h"]]);
    check("g++ -o 2 12", &[&["g++", "-o", "2", "12"]]);
}

#[test]
fn operators_join_commands() {
    let command = Command::parse("a&&b||c;d|e f").unwrap();
    let joined: Vec<_> = command.commands().iter().map(|simple| (simple.program(), simple.next())).collect();
    assert_eq!(
        joined,
        [
            ("a", Some(Operator::And)),
            ("b", Some(Operator::Or)),
            ("c", Some(Operator::Then)),
            ("d", Some(Operator::Pipe)),
            ("e", None)
        ]
    );
    assert!(command.single().is_none());
    assert_eq!(Command::parse("ls -l").unwrap().single().unwrap().argv(), ["ls", "-l"]);
    assert!(Command::parse("ls > x").unwrap().single().is_none());
}

#[test]
fn simple_redirections_are_parsed() {
    // H8
    let command = Command::parse("cat a.txt>x <b 2>>'e f' 2>&1 1>&2 12 2 >>y").unwrap();
    let simple = &command.commands()[0];
    assert_eq!(simple.argv(), ["cat", "a.txt", "12", "2"]);
    let write = |path: &str| Redirection::Write { stream: Stream::Output, path: path.into() };
    assert_eq!(
        simple.redirections(),
        [
            write("x"),
            Redirection::Read { path: "b".into() },
            Redirection::Append { stream: Stream::Error, path: "e f".into() },
            Redirection::Duplicate { stream: Stream::Error, onto: Stream::Output },
            Redirection::Duplicate { stream: Stream::Output, onto: Stream::Error },
            Redirection::Append { stream: Stream::Output, path: "y".into() },
        ]
    );
    check("ls 2''>x", &[&["ls", "2"]]);
    assert_eq!(Command::parse("ls 2''>x").unwrap().commands()[0].redirections(), [write("x")]);
    assert_eq!(Command::parse("ls a2>x").unwrap().commands()[0].redirections(), [write("x")]);
}

#[test]
fn other_redirections_are_refused() {
    for text in [
        "> x ls",
        "2>x",
        "ls >",
        "ls > ;",
        "ls >| x",
        "ls <> x",
        "ls 1<>x",
        "cat << E",
        "cat <<< x",
        "ls >& x",
        "ls 3> x",
        "ls 1< x",
        "ls 0> x",
        "ls >&-",
        "ls >&2x",
        "ls > 2>x",
        "ls > ''",
        "ls > /dev/tcp/1.2.3.4/5",
        "ls 2> /dev/stdout",
        "ls <&3",
        "ls >&$x",
    ] {
        assert_eq!(Command::parse(text).unwrap_err().kind(), ErrorKind::Redirection, "{text}");
    }
    refused("echo hi > >(touch x)", ErrorKind::Redirection, 8);
    refused("ls &> x", ErrorKind::Background, 3);
    assert!(Command::parse("ls > /dev/null 2>&1").is_ok());
}

#[test]
fn shell_syntax_is_refused() {
    refused("echo $x", ErrorKind::Expansion, 5);
    refused("echo \"a $(b)\"", ErrorKind::Expansion, 8);
    refused("echo `b`", ErrorKind::Expansion, 5);
    refused("echo $'a'", ErrorKind::Expansion, 5);
    refused("echo a\\ b", ErrorKind::Escape, 6);
    refused("echo \"a\\b\"", ErrorKind::Escape, 7);
    refused("sort *", ErrorKind::Glob, 5);
    refused("ls a?", ErrorKind::Glob, 4);
    refused("ls [a]", ErrorKind::Glob, 3);
    refused("ls {a,b}", ErrorKind::Brace, 3);
    refused("cat ~/x", ErrorKind::Tilde, 4);
    refused("! ls", ErrorKind::Exclamation, 0);
    refused("echo \"a!b\"", ErrorKind::Exclamation, 7);
    refused("ls #x", ErrorKind::Comment, 3);
    refused("(ls)", ErrorKind::Parenthesis, 0);
    refused("ls(){ x; }", ErrorKind::Parenthesis, 2);
    refused("ls & x", ErrorKind::Background, 3);
    refused("ls &", ErrorKind::Background, 3);
    refused("a |& b", ErrorKind::Background, 3);
    refused("ls ^x", ErrorKind::Character, 3);
    refused("echo 'a", ErrorKind::UnclosedQuote, 5);
    refused("echo a\"", ErrorKind::UnclosedQuote, 6);
}

#[test]
fn odd_characters_are_refused() {
    for separator in ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"] {
        refused(&format!("ls{separator}x"), ErrorKind::LineBreak, 2);
        refused(&format!("ls '{separator}'"), ErrorKind::LineBreak, 4);
    }
    refused("ls\tx", ErrorKind::Control, 2);
    refused("ls \0", ErrorKind::Control, 3);
    refused("ls \u{1b}[2K", ErrorKind::Control, 3);
    refused("ls \u{7f}", ErrorKind::Control, 3);
    refused("l\u{200b}s", ErrorKind::NotAscii, 1);
    refused("ls 'é'", ErrorKind::NotAscii, 4);
}

#[test]
fn a_missing_command_is_refused() {
    refused("", ErrorKind::MissingCommand, 0);
    refused("   ", ErrorKind::MissingCommand, 3);
    refused("ls | ", ErrorKind::MissingCommand, 5);
    refused("ls;", ErrorKind::MissingCommand, 3);
    refused("ls ;; x", ErrorKind::MissingCommand, 4);
    refused("ls ||| x", ErrorKind::MissingCommand, 5);
    refused("; ls", ErrorKind::MissingCommand, 0);
}

#[test]
fn the_program_is_a_plain_name() {
    refused("a=b ls", ErrorKind::Assignment, 0);
    refused("a+=b", ErrorKind::Assignment, 0);
    refused("if true", ErrorKind::Keyword, 0);
    refused("true; time ls", ErrorKind::Keyword, 6);
    for text in ["'ls'", "l\"s\"", "./ls", "/bin/ls", ".", ":", "-x", "%1", "@x", "ls, x", "ls''"] {
        refused(text, ErrorKind::ProgramName, 0);
    }
}

#[test]
fn limits_ask_and_never_allow() {
    let many = |count: usize| vec!["true"; count].join(";");
    assert!(Command::parse(&many(50)).is_ok());
    refused(&many(51), ErrorKind::TooManyCommands, 250);
    assert!(Command::parse(&format!("ls {}", "a".repeat(9_997))).is_ok());
    refused(&format!("ls {}", "a".repeat(9_998)), ErrorKind::TooLong, 10_000);
    let two = CommandLimits::default().with_commands(1).with_bytes(5);
    assert_eq!(Command::parse_with("a;b", two).unwrap_err().kind(), ErrorKind::TooManyCommands);
    assert_eq!(Command::parse_with("ls abc", two).unwrap_err().kind(), ErrorKind::TooLong);
}

#[test]
fn errors_name_the_construct_and_its_offset() {
    assert_eq!(Command::parse("ls $x").unwrap_err().to_string(), "expansion at byte 3");
}
