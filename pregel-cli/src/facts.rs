//! What the command line knows about an algorithm before it runs.

use std::fmt;

/// Name, help text and needs of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its name on the command line.
    pub name: &'static str,
    /// Half a line of help.
    pub about: &'static str,
    /// The parameters that it takes.
    pub takes: &'static [Param],
    /// The edge weights that it can use.
    pub weights: WeightUse,
    /// The superstep limit if the user gives none.
    pub default_supersteps: Option<u32>,
    /// Whether it is a vertex program, which a GPU lays the graph out for.
    pub vertex_program: bool,
    /// Whether it is a single run, which can be saved and cut short, if it is a vertex program.
    pub one_run: bool,
    /// The vertex program that computes the same, if this is none.
    pub counterpart: Option<&'static str>,
    /// Whether it writes a matrix, not columns.
    pub matrix: bool,
    /// When its values match others.
    pub matching: Matching,
    /// Whether it is a program of the user's own, which may have mistakes of beginners.
    pub users_own: bool,
}

impl Facts {
    /// A vertex program without weights that runs until it halts.
    pub const fn new(name: &'static str, about: &'static str, takes: &'static [Param]) -> Self {
        Self {
            name,
            about,
            takes,
            weights: WeightUse::Never,
            default_supersteps: None,
            vertex_program: true,
            one_run: true,
            counterpart: None,
            matrix: false,
            matching: Matching::Value,
            users_own: false,
        }
    }
}

/// A parameter that only some algorithms take; displayed as its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    Source,
    Sources,
    Target,
    Parents,
    Damping,
    Tolerance,
    Personalize,
    Precision,
    Delta,
    Rows,
    Lengths,
    Method,
    Tile,
    Seed,
    Attenuation,
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "--source",
            Self::Sources => "--sources",
            Self::Target => "--target",
            Self::Parents => "--parents",
            Self::Damping => "--damping",
            Self::Tolerance => "--tolerance",
            Self::Personalize => "--personalize",
            Self::Precision => "--precision",
            Self::Delta => "--delta",
            Self::Rows => "--rows",
            Self::Lengths => "--lengths",
            Self::Method => "--method",
            Self::Tile => "--tile",
            Self::Seed => "--seed",
            Self::Attenuation => "--attenuation",
        })
    }
}

/// When values match those of another result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// If each equals the other, or is close to it if they are numbers.
    Value,
    /// If the vertices of a label are those of a label there, whatever they are called.
    Partition,
}

/// Which edge weights `--weights auto` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightUse {
    /// None: they are not read.
    Never,
    /// Those of a file.
    OfFiles,
    /// Those of a file or of a generator.
    Always,
}
