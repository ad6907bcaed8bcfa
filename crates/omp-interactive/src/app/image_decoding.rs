//! Pictures: decoded beside the interface, shown when they are ready.

use omp_tui::capability::ImageProtocol;
use omp_tui::image::ImageOptions;
use omp_tui::render::{Gesture, Size};
use omp_tui::text::Depth;
use omp_tui::transcript::Transcript;

use super::{App, Task, TerminalRequest};
use crate::app::surface::Surface;

impl App {
    /// Lets pictures that are wanted be decoded. A picture leaves room for the editor below it.
    pub(super) fn decode_pictures(&mut self, size: Size) {
        let pictures = self.surface.stage.pictures();
        pictures.set_room(size.height * 2 / 3);
        for wanted in pictures.take_wanted() {
            let id = wanted.id;
            self.spawn(async move {
                let decoded = tokio::task::spawn_blocking(move || wanted.decode()).await;
                Box::new(move |app: &mut Self| {
                    app.surface.stage.pictures().decoded(id, decoded.ok().flatten());
                    app.surface.changed();
                }) as Task
            });
        }
    }
}

impl Surface {
    /// How the terminal shows pictures, as far as is known; `off` if the user wants none.
    pub(crate) fn set_pictures(&mut self, options: ImageOptions, off: bool) {
        self.stage.pictures().set(options, off);
    }

    /// How many colours the terminal shows.
    pub(crate) fn set_depth(&mut self, depth: Depth) {
        self.stage.set_depth(depth);
    }

    /// Whether links can be clicked; where they cannot, their addresses are shown.
    pub(crate) fn set_links(&mut self, clickable: bool) {
        self.stage.set_links(clickable);
    }

    /// How many blocks of the conversation were asked for their rows since the last time.
    pub(crate) fn take_asked_blocks(&mut self) -> usize {
        let transcript = self.ui.get_mut::<Transcript>(self.lanes.transcript);
        let asked = transcript.map_or(0, |transcript| transcript.renders());
        asked.saturating_sub(std::mem::replace(&mut self.asked_blocks, asked))
    }

    /// Whether the beginning of what was read is shown.
    pub(crate) fn set_read_preview(&mut self, shown: bool) {
        self.stage.set_read_preview(shown);
    }

    /// The terminal turned out to show pictures this way.
    pub(crate) fn pictures_become(&mut self, protocol: ImageProtocol) {
        if self.stage.pictures().set_protocol(protocol) {
            self.draw_everything();
        }
    }

    /// Draws the whole conversation again: something about all of it has changed.
    pub(crate) fn draw_everything(&mut self) {
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            transcript.thaw();
        }
        self.requests.push(TerminalRequest::Gesture(Gesture::Reset));
    }

    /// Pictures that lost their pixels in the last frame become text in the next.
    pub(super) fn fade_pictures(&mut self) {
        let faded = self.stage.pictures().take_faded();
        if faded.is_empty() {
            return;
        }
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            faded.iter().for_each(|block| transcript.refresh(*block));
        }
        self.changed();
    }
}
