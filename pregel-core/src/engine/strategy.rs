//! How messages travel.

/// How messages travel. All strategies give the same result on every
/// program: bit-equal for exact combiners, within rounding for float sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// The engine chooses, superstep by superstep.
    #[default]
    Auto,
    /// Scattering vertices send along their edges into combined slots.
    Push,
    /// Vertices gather from their scattering neighbours, no message stored.
    Pull,
    /// Every message is kept until its vertex computes.
    Mailbox,
}

impl Strategy {
    /// Lower-case name, as on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Mailbox => "mailbox",
        }
    }
}
