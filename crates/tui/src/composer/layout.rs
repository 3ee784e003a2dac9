//! The rows of the composer's text, and the place of the caret.

use unicode_segmentation::UnicodeSegmentation as _;
use windlass_screen::text_width;

use super::Composer;

/// The visible rows of a composer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The visible rows.
    pub(crate) rows: Vec<String>,
    /// The row of the caret among the visible ones, and its column.
    pub(crate) caret: (usize, usize),
    /// Number of rows above the visible ones.
    pub(crate) above: usize,
}

impl Composer {
    /// Lays the text out in rows of `columns`, of which at most `max_rows` around the caret are visible. A wide
    /// character is never divided.
    pub(crate) fn lay_out(&self, columns: usize, max_rows: usize) -> Layout {
        let columns = columns.max(4);
        let (mut rows, mut caret) = (vec![String::new()], (0, 0));
        let (mut column, mut at) = (0_usize, 0_usize);
        for cluster in self.text.graphemes(true) {
            if at == self.caret {
                caret = (rows.len().saturating_sub(1), column);
            }
            at = at.saturating_add(cluster.len());
            if cluster == "\n" {
                rows.push(String::new());
                column = 0;
                continue;
            }
            let width = text_width(cluster);
            if column.saturating_add(width) > columns {
                rows.push(String::new());
                column = 0;
            }
            if let Some(row) = rows.last_mut() {
                row.push_str(cluster);
            }
            column = column.saturating_add(width);
        }
        if self.caret >= at {
            if column >= columns {
                rows.push(String::new());
                column = 0;
            }
            caret = (rows.len().saturating_sub(1), column);
        }
        let above = if rows.len() > max_rows {
            let half = max_rows / 2;
            caret.0.saturating_sub(half).min(rows.len().saturating_sub(max_rows))
        } else {
            0
        };
        let rows = rows.into_iter().skip(above).take(max_rows.max(1)).collect();
        Layout { rows, caret: (caret.0.saturating_sub(above), caret.1), above }
    }
}
