//! The two forms of a conversation on the terminal: inline in the scrollback, or on a screen of its own.

use std::io::{self, Write};

use ratatui_core::text::Line;

use super::ScreenBuffer;
use super::painter::Painter;
use super::scrollback::Scrollback;
use crate::input::Scroll;
use crate::state::View;

/// Display of finished lines and of the view below them.
#[derive(Debug)]
pub(crate) struct Display<W> {
    painter: Painter<W>,
    /// The lines of a conversation that has the whole screen.
    scrollback: Option<Scrollback>,
}

impl<W: Write> Display<W> {
    /// Creates a display whose finished lines belong to the terminal. The cursor is in an empty line.
    pub(crate) fn inline(out: W, columns: usize, rows: usize, is_reflowing: bool) -> Self {
        Self { painter: Painter::new(out, columns, rows, is_reflowing), scrollback: None }
    }

    /// Creates a display that has the whole screen, and stores the finished lines.
    pub(crate) fn full_screen(out: W, columns: usize, rows: usize) -> Self {
        let painter = Painter::for_pages(out, columns, rows);
        Self { painter, scrollback: Some(Scrollback::new(columns, rows)) }
    }

    /// Returns the writer.
    #[cfg(test)]
    pub(crate) fn writer(&mut self) -> &mut W {
        self.painter.writer()
    }

    /// Returns the screen that the display needs.
    pub(crate) fn buffer(&self) -> ScreenBuffer {
        if self.scrollback.is_some() { ScreenBuffer::Alternate } else { ScreenBuffer::Normal }
    }

    /// The terminal has a new size. The next frame paints again.
    pub(crate) fn resize(&mut self, columns: usize, rows: usize) {
        self.painter.resize(columns, rows);
        if let Some(scrollback) = &mut self.scrollback {
            scrollback.resize(columns, rows);
        }
    }

    /// Paints a frame. Writes nothing if nothing changed.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn paint(&mut self, finished: Vec<Line<'static>>, view: &View) -> io::Result<()> {
        let Some(scrollback) = &mut self.scrollback else { return self.painter.paint(&finished, view) };
        scrollback.push(finished);
        let (page, shift) = scrollback.page(view);
        self.painter.paint_page(&page, shift)
    }

    /// Moves to another part of the lines with the next frame. Inline, the terminal does this itself.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        if let Some(scrollback) = &mut self.scrollback {
            scrollback.scroll(scroll);
        }
    }

    /// Another program wrote to the terminal, and the cursor is in an empty line. The next frame begins there.
    pub(crate) fn restart(&mut self) {
        self.painter.restart();
    }

    /// Removes the view. The next frame paints everything again.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn redraw(&mut self) -> io::Result<()> {
        self.painter.clear()?;
        self.painter.invalidate();
        Ok(())
    }

    /// Removes the view, so that another program can use the terminal.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.painter.clear()
    }

    /// Ends the view: inline, its lines stay, and the cursor is in an empty line below it.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        if self.scrollback.is_some() { Ok(()) } else { self.painter.leave() }
    }

    /// Writes the newest lines to the normal screen, which the terminal displays again. Inline, it has them already.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn print_end(&mut self) -> io::Result<()> {
        match &self.scrollback {
            Some(scrollback) => self.painter.print_lines(&scrollback.newest_rows()),
            None => Ok(()),
        }
    }

    /// Writes bytes that move nothing, such as a notification.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be written.
    pub(crate) fn write_control(&mut self, bytes: &str) -> io::Result<()> {
        self.painter.write_control(bytes)
    }
}
