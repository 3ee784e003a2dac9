//! Styles at each color depth.

use ratatui_core::style::{Color, Modifier};
use windlass_screen::{Background, ColorDepth, Role, Theme};

#[test]
fn each_depth_uses_only_its_own_colors() {
    for background in [Background::Dark, Background::Light] {
        for role in Role::ALL {
            let color = |depth| Theme::new(depth, background).style(role).fg;
            assert_eq!(color(ColorDepth::None), None, "{role:?}");
            assert!(
                !matches!(color(ColorDepth::Ansi16), Some(Color::Indexed(_) | Color::Rgb(..))),
                "{role:?}"
            );
            assert!(matches!(color(ColorDepth::Ansi256), None | Some(Color::Indexed(_))), "{role:?}");
            assert!(matches!(color(ColorDepth::TrueColor), None | Some(Color::Rgb(..))), "{role:?}");
        }
    }
}

#[test]
fn important_roles_differ_without_colors() {
    let theme = Theme::new(ColorDepth::None, Background::Dark);
    for role in [Role::User, Role::Error, Role::Question, Role::Thought, Role::Key, Role::Heading, Role::Call]
    {
        assert_ne!(theme.style(role), theme.style(Role::Words), "{role:?}");
    }
}

#[test]
fn no_background_is_set_and_colors_are_not_dimmed() {
    for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::TrueColor] {
        for role in Role::ALL {
            let style = Theme::new(depth, Background::Light).style(role);
            assert_eq!(style.bg, None);
            assert!(style.fg.is_none() || !style.add_modifier.contains(Modifier::DIM), "{role:?}");
        }
    }
}

/// Returns the contrast ratio of two colors (WCAG 2.2).
fn contrast(one: (u8, u8, u8), other: (u8, u8, u8)) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let luminance =
        |(red, green, blue)| 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

#[test]
fn colors_contrast_with_their_background() {
    for (background, paper) in [(Background::Dark, (30, 30, 30)), (Background::Light, (255, 255, 255))] {
        for role in Role::ALL {
            if let Some(Color::Rgb(red, green, blue)) =
                Theme::new(ColorDepth::TrueColor, background).style(role).fg
            {
                let ratio = contrast((red, green, blue), paper);
                assert!(ratio >= 4.5, "{role:?} on {background:?}: {ratio:.1}");
            }
        }
    }
}
