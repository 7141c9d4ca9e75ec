use ratatui::style::{Color, Modifier, Style};

/// How things are set apart from each other: by colours, or without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    pub(crate) has_colours: bool,
}

impl Palette {
    /// With colours, unless `NO_COLOR` is there and not empty.
    pub(crate) fn of_environment() -> Self {
        Self { has_colours: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    fn colour(self, colour: Color, otherwise: Modifier) -> Style {
        if self.has_colours { Style::new().fg(colour) } else { Style::new().add_modifier(otherwise) }
    }

    pub(super) fn title(self) -> Style {
        self.colour(Color::Cyan, Modifier::BOLD).add_modifier(Modifier::BOLD)
    }

    pub(super) fn trouble(self) -> Style {
        self.colour(Color::Red, Modifier::BOLD)
    }

    pub(super) fn quiet(self) -> Style {
        self.colour(Color::DarkGray, Modifier::DIM)
    }

    pub(super) fn trend(self) -> Style {
        self.colour(Color::Green, Modifier::BOLD)
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn sorted(self) -> Style {
        self.colour(Color::Yellow, Modifier::UNDERLINED)
    }
}
