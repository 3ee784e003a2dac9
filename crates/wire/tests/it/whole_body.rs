//! A whole body is limited, stripped, and distinguished from a body of another program.

use windlass_wire::{DecodeError, WireLimits, read_whole_body};

fn read(body: &[u8], limits: WireLimits) -> Result<String, DecodeError> {
    let mut found = String::new();
    read_whole_body("w", body, limits, &['{'], |text| {
        found.push_str(text);
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn a_bom_and_white_space_around_the_json_are_removed() {
    assert_eq!(read("\u{feff} {\"a\":1}\r\n".as_bytes(), WireLimits::default()).unwrap(), "{\"a\":1}");
}

#[test]
fn a_body_of_another_program_is_not_read() {
    for body in ["", "<html>"] {
        let error = read(body.as_bytes(), WireLimits::default()).unwrap_err();
        assert!(matches!(error, DecodeError::NotJson { wire: "w", .. }), "{body}: {error:?}");
    }
    for body in ["[1]", "null"] {
        let error = read(body.as_bytes(), WireLimits::default()).unwrap_err();
        assert!(matches!(error, DecodeError::Shape { wire: "w", .. }), "{body}: {error:?}");
    }
}

#[test]
fn the_limit_counts_bytes_and_includes_its_value() {
    let limits = WireLimits { body_bytes: 2, ..WireLimits::default() };
    assert_eq!(read(b"{}", limits).unwrap(), "{}");
    let error = read(b"{} ", limits).unwrap_err();
    assert!(matches!(error, DecodeError::Limit { limit: 2, .. }), "{error:?}");
}
