//! Results of a search with few words.

use super::{Ranking, words};

#[track_caller]
fn check(query: &str, found: &[&str]) {
    let tools = [
        ("create_issue", "Opens a new issue in a repository. repository title body"),
        ("list_issues", "Lists the issues of a repository. repository state"),
        ("searchCode", "Finds text in the files of a repository. query"),
        ("send_mail", "Sends a message to somebody. to subject body"),
        ("wetter", "Zeigt das Wetter für einen Ort. größe ort"),
    ];
    let mut ranking = Ranking::default();
    for (name, rest) in tools {
        ranking.push(name, rest);
    }
    let best: Vec<&str> = ranking.best(query, 2).into_iter().map(|place| tools[place].0).collect();
    assert_eq!(best, found, "{query}");
}

#[test]
fn search_terms_rank_matching_tools_first() {
    check("create issue", &["create_issue", "list_issues"]);
    check("LIST ISSUES", &["list_issues", "create_issue"]);
    check("search code", &["searchCode"]);
    check("message to somebody", &["send_mail"]);
    check("größe", &["wetter"]);
    check("zebra", &[]);
    check("", &[]);
    check("🦀 \0", &[]);
}

#[test]
fn tool_names_are_split_into_words() {
    assert_eq!(words("createIssue-v2 HTTPServer"), ["create", "issue", "v2", "httpserver"]);
}
