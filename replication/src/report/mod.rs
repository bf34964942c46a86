//! What was measured, beside what the paper says.

mod csv;
mod html;
mod markdown;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

pub use pregel_figures::{Axis, Figure, Marks, Series, thousands};

use crate::machine::Machine;

/// The items of one paper, or of a benchmark.
#[derive(Clone, Debug)]
pub struct Report {
    /// Short name, the beginning of file names.
    pub name: &'static str,
    /// What is replicated.
    pub title: String,
    /// The paper.
    pub source: &'static str,
    /// What it was measured on.
    pub machine: Machine,
    /// What holds of all items: how it was measured, what was left out.
    pub notes: Vec<String>,
    /// Results that are wrong, and runs that failed, which the report also shows. The
    /// command that writes it must fail then.
    pub failures: Vec<String>,
    /// The tables and figures.
    pub items: Vec<Item>,
}

impl Report {
    /// What it was measured on, and the notes.
    fn facts(&self) -> impl Iterator<Item = String> + '_ {
        let Machine { cpu, threads, device, version } = &self.machine;
        let device = device.as_deref().unwrap_or("none used");
        [
            format!("Processor: {cpu}, {threads} threads"),
            format!("GPU: {device}"),
            format!("Version: {version}"),
        ]
        .into_iter()
        .chain(self.notes.iter().cloned())
    }
}

/// A table or figure of the paper, made again.
#[derive(Clone, Debug)]
pub struct Item {
    /// Short name, part of file names: `fig-3`.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// How it was measured.
    pub method: String,
    /// The figures.
    pub table: Table,
    /// A picture of them.
    pub figure: Option<Figure>,
    /// The paper's claims about it.
    pub claims: Vec<Claim>,
    /// Output in a form of its own, shown as it is.
    pub verbatim: Option<String>,
}

/// A verdict on what cannot be compared.
pub(crate) fn not_comparable(reason: &str) -> Verdict {
    Verdict::NotComparable(reason.to_owned())
}

/// What takes a GPU where none was used: each figure with what it shows, and the paper's claims.
pub(crate) fn without_gpu(title: &str, what: &[[&str; 2]], claims: &[&str], why: &str) -> Item {
    let claim = |paper: &&str| Claim {
        paper: (*paper).to_owned(),
        ours: "not measured".to_owned(),
        verdict: not_comparable(&format!("no GPU was used: {why}")),
    };
    Item {
        name: "gpu",
        title: title.to_owned(),
        method: "Quoted, so that it is plain what is missing. On a machine with a GPU this \
                 command measures it."
            .to_owned(),
        table: Table {
            columns: vec!["figure", "what"],
            rows: what.iter().map(|row| row.map(Cell::from).to_vec()).collect(),
        },
        figure: None,
        claims: claims.iter().map(claim).collect(),
        verbatim: None,
    }
}

/// A note on what was left out, and why.
pub(crate) fn left_out(what: &[String]) -> String {
    match what {
        [] => "Nothing was left out.".to_owned(),
        some => format!("Left out: {}.", some.join("; ")),
    }
}

/// Takes back what claims say of measurements on the small graphs of a quick run.
pub(crate) fn withdraw_verdicts(items: &mut [Item]) {
    for claim in items.iter_mut().flat_map(|item| &mut item.claims) {
        if !matches!(claim.verdict, Verdict::NotComparable(_)) {
            let reason = "the graphs of a quick run are too small";
            claim.verdict = Verdict::NotComparable(reason.to_owned());
        }
    }
}

/// Rows of cells under headings.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The headings.
    pub columns: Vec<&'static str>,
    /// As many cells in each row as there are headings.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// A measured number, and the decimals worth showing.
    Real(f64, usize),
    /// Nothing was measured.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

/// For people; [`Table::csv`] writes cells for programs.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => f.write_str(&thousands(*count)),
            Self::Real(value, decimals) => write!(f, "{value:.decimals$}"),
            Self::Empty => f.write_str("–"),
        }
    }
}

/// What the paper says, and what we found.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The paper's words and figures.
    pub paper: String,
    /// Ours.
    pub ours: String,
    /// Whether they agree.
    pub verdict: Verdict,
}

/// Whether a claim holds here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not, and why.
    HoldsNoMore(String),
    /// It cannot be said, and why.
    NotComparable(String),
}

impl Verdict {
    /// Holds if `holds`, otherwise not, for this reason.
    pub fn of(holds: bool, otherwise: &str) -> Self {
        if holds { Self::Holds } else { Self::HoldsNoMore(otherwise.to_owned()) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::HoldsNoMore(reason) => write!(f, "holds no more, because {reason}"),
            Self::NotComparable(reason) => write!(f, "cannot be compared, because {reason}"),
        }
    }
}
