//! Writes the page: one HTML file with the module, the script and the styles in it, and a content security policy that
//! allows these by their hashes and forbids everything else, connections included.
//!
//! `cargo run --features page --bin page MODULE.wasm PAGE.html`

use std::error::Error;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

#[expect(clippy::disallowed_methods, reason = "a program that writes a file")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(module), Some(page)) = (arguments.next(), arguments.next()) else {
        return Err("usage: page MODULE.wasm PAGE.html".into());
    };
    std::fs::write(page, render_page(&std::fs::read(module)?))?;
    Ok(())
}

fn render_page(module: &[u8]) -> String {
    let policy = format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; base-uri 'none'; form-action 'none'",
        source_hash(SCRIPT),
        source_hash(STYLE)
    );
    TEMPLATE
        .replace("{policy}", &policy)
        .replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{module}", &BASE64_STANDARD.encode(module))
}

/// Returns the source expression that allows exactly this text.
fn source_hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, TEMPLATE, render_page};

    #[test]
    fn the_page_names_no_address_and_has_no_inline_handler() {
        let page = render_page(b"\0asm");
        assert!(page.contains("default-src 'none'; script-src 'sha256-"));
        for forbidden in ["http:", "https:", "src=", "href=", "onclick", "style=", "{module}", "{policy}"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("fetch(") && !TEMPLATE.is_empty());
    }
}
