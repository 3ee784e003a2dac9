//! Prints the rows as a table.

use serde_json::Value;

const WIDTH: usize = 58;

pub(super) fn print(rows: &[Value]) {
    println!(
        "{:<4} {:<WIDTH$} {:>10}  {:<14} {:>9} {:>9}  reached",
        "", "what", "value", "unit", "target", "aim"
    );
    for row in rows {
        print_row(row);
    }
    println!("\n{}", summary(rows));
}

fn print_row(row: &Value) {
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let value = row["value"].as_f64().map_or_else(|| "-".to_owned(), round);
    println!(
        "{:<4} {:<WIDTH$} {value:>10}  {:<14} {:>9} {:>9}  {}",
        text("id"),
        text("what"),
        text("unit"),
        text("target"),
        text("aim"),
        text("reached")
    );
    if !text("note").is_empty() {
        println!("       {}", text("note"));
    }
}

fn summary(rows: &[Value]) -> String {
    let reached = |wanted: &str| rows.iter().filter(|row| row["reached"] == wanted).count();
    let missing = rows.iter().filter(|row| !row["value"].is_number()).count();
    format!(
        "{} values reach their aim, {} their target, {} do not; {missing} rows have a reason instead of a value",
        reached("aim"),
        reached("yes"),
        reached("no")
    )
}

/// Formats a value with three significant digits, or as an integer if it has more.
fn round(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{round, summary};

    #[test]
    fn values_keep_three_digits() {
        assert_eq!([0.8283, 26.64, 3123.4].map(round), ["0.83", "26.6", "3123"]);
    }

    #[test]
    fn the_summary_counts_every_row() {
        let rows = [
            json!({ "value": 1.0, "reached": "aim" }),
            json!({ "value": 2.0, "reached": "no" }),
            json!({ "value": 3.0, "reached": null }),
            json!({ "value": null, "note": "there is no valgrind" }),
        ];
        assert_eq!(
            summary(&rows),
            "1 values reach their aim, 0 their target, 1 do not; 1 rows have a reason instead of a value"
        );
    }
}
