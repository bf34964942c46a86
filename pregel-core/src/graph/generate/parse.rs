//! Specs as text.

use std::fmt;
use std::str::FromStr;

use super::options::Options;
use super::{Grid, InDegree, Kind, Lattice, Rmat, Spec, SpecError, Uniform};

/// Largest weight: integers up to here are exact as `f32`.
const MAX_WEIGHT: u64 = 1 << 24;

/// What a spec can begin with, before the colon.
const KINDS: [&str; 5] = ["rmat", "uniform", "grid", "lattice", "indegree"];

/// The options of every kind.
const COMMON: [&str; 5] = ["seed", "sym", "dedup", "maxw", "wseed"];

impl Spec {
    /// Whether `text` looks like a spec rather than a file name.
    pub fn recognises(text: &str) -> bool {
        text.split_once(':').is_some_and(|(name, _)| KINDS.contains(&name))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse(text).map_err(|reason| SpecError { spec: text.to_owned(), reason })
    }
}

fn parse(text: &str) -> Result<Spec, String> {
    let (name, list) = text.split_once(':').unwrap_or((text, ""));
    let options = |own: &[&str]| Options::split(list, &[own, &COMMON].concat());
    match name {
        "rmat" => {
            let options = options(&Rmat::OPTIONS)?;
            spec(Kind::Rmat(Rmat::read(&options)?), &options)
        }
        "uniform" => {
            let options = options(&Uniform::OPTIONS)?;
            spec(Kind::Uniform(Uniform::read(&options)?), &options)
        }
        "grid" => {
            let options = options(&Grid::OPTIONS)?;
            spec(Kind::Grid(Grid::read(&options)?), &options)
        }
        "lattice" => {
            let options = options(&Lattice::OPTIONS)?;
            spec(Kind::Lattice(Lattice::read(&options)?), &options)
        }
        "indegree" => {
            let options = options(&InDegree::OPTIONS)?;
            spec(Kind::InDegree(InDegree::read(&options)?), &options)
        }
        _ => {
            let [others @ .., last] = KINDS;
            Err(format!("unknown kind «{name}», expected {} or {last}", others.join(", ")))
        }
    }
}

/// Adds the options of every kind.
fn spec(kind: Kind, options: &Options<'_>) -> Result<Spec, String> {
    let seed = options.number("seed", 0..=u64::MAX)?.unwrap_or(1);
    Ok(Spec {
        kind,
        seed,
        sym: options.switch("sym", kind.switched_on())?,
        dedup: options.switch("dedup", kind.switched_on())?,
        maxw: options.number("maxw", 1..=MAX_WEIGHT)?.unwrap_or(255) as u32,
        wseed: options.number("wseed", 0..=u64::MAX)?.unwrap_or(seed),
    })
}

/// The options `rows` and `cols`, whose product is a 32-bit number.
pub(super) fn rows_and_cols(options: &Options<'_>) -> Result<(u32, u32), String> {
    let rows = options.needed("rows", 1..=u32::MAX.into())? as u32;
    let cols = options.needed("cols", 1..=u32::MAX.into())? as u32;
    if rows.checked_mul(cols).is_none() {
        let n = u64::from(rows) * u64::from(cols);
        return Err(format!("{n} vertices are more than 32-bit ids can name ({})", u32::MAX));
    }
    Ok((rows, cols))
}

/// Writes the options that differ from their defaults, in a fixed order.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Rmat(rmat) => rmat.fmt(f),
            Kind::Uniform(uniform) => uniform.fmt(f),
            Kind::Grid(grid) => grid.fmt(f),
            Kind::Lattice(lattice) => lattice.fmt(f),
            Kind::InDegree(in_degree) => in_degree.fmt(f),
        }?;
        let switched_on = self.kind.switched_on().into();
        let common = [
            ("seed", self.seed, 1),
            ("sym", self.sym.into(), switched_on),
            ("dedup", self.dedup.into(), switched_on),
            ("maxw", self.maxw.into(), 255),
            ("wseed", self.wseed, self.seed),
        ];
        for (key, value, default) in common {
            if value != default {
                write!(f, ",{key}={value}")?;
            }
        }
        Ok(())
    }
}
