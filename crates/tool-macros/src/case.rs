//! The cases of serde's `rename_all` for field names.

use syn::{LitStr, Result};

/// The case of field names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Case {
    /// Unchanged from Rust.
    #[default]
    Snake,
    Upper,
    Pascal,
    Camel,
    Kebab,
    UpperKebab,
}

impl Case {
    pub(crate) fn parse(text: &LitStr) -> Result<Self> {
        Ok(match text.value().as_str() {
            // Rust fields are already lower case, and serde keeps their underscores.
            "lowercase" | "snake_case" => Self::Snake,
            "UPPERCASE" | "SCREAMING_SNAKE_CASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::UpperKebab,
            _ => {
                let message = "serde has the cases \"lowercase\", \"UPPERCASE\", \"PascalCase\", \"camelCase\", \
                               \"snake_case\", \"SCREAMING_SNAKE_CASE\", \"kebab-case\" and \
                               \"SCREAMING-KEBAB-CASE\"";
                return Err(syn::Error::new(text.span(), message));
            }
        })
    }

    pub(crate) fn apply(self, field: &str) -> String {
        match self {
            Self::Snake => field.to_owned(),
            Self::Upper => field.to_ascii_uppercase(),
            Self::Pascal => pascal(field),
            Self::Camel => {
                let pascal = pascal(field);
                let mut letters = pascal.chars();
                let first = letters.next().map(|letter| letter.to_ascii_lowercase());
                first.into_iter().chain(letters).collect()
            }
            Self::Kebab => field.replace('_', "-"),
            Self::UpperKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// Converts `read_lines` to `ReadLines`.
pub(crate) fn pascal(name: &str) -> String {
    let mut upper = true;
    let mut pascal = String::new();
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
        } else {
            pascal.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    pascal
}

#[cfg(test)]
mod tests;
