//! Specs as text.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{Grid, Kind, Rmat, Spec, SpecError, Uniform};

/// Largest weight: integers up to here are exact as `f32`.
const MAX_WEIGHT: u64 = 1 << 24;

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse(text).map_err(|reason| SpecError { spec: text.to_owned(), reason })
    }
}

/// The options of every kind.
const COMMON: [&str; 5] = ["seed", "sym", "dedup", "maxw", "wseed"];

fn parse(text: &str) -> Result<Spec, String> {
    let (name, list) = text.split_once(':').unwrap_or((text, ""));
    let options = |own: &[&str]| Options::split(list, &[own, &COMMON].concat());
    match name {
        "rmat" => {
            let options = options(&["scale", "ef", "perm"])?;
            let scale = options.needed("scale", 0..=Rmat::MAX_SCALE.into())? as u32;
            let ef = options.number("ef", 0..=u64::MAX)?.unwrap_or(16);
            let perm = options.switch("perm")?;
            options.spec(Kind::Rmat(Rmat { scale, ef, perm }))
        }
        "uniform" => {
            let options = options(&["n", "m"])?;
            let n = options.needed("n", 0..=u32::MAX.into())? as u32;
            let m = options.needed("m", 0..=u64::MAX / 2)?;
            options.spec(Kind::Uniform(Uniform { n, m }))
        }
        "grid" => {
            let options = options(&["rows", "cols", "drop"])?;
            let rows = options.needed("rows", 1..=u32::MAX.into())? as u32;
            let cols = options.needed("cols", 1..=u32::MAX.into())? as u32;
            let drop = options.number("drop", 0..=1000)?.unwrap_or(0) as u32;
            if rows.checked_mul(cols).is_none() {
                let n = u64::from(rows) * u64::from(cols);
                return Err(format!(
                    "{n} vertices are more than 32-bit ids can name ({})",
                    u32::MAX
                ));
            }
            options.spec(Kind::Grid(Grid { rows, cols, drop }))
        }
        _ => Err(format!("unknown kind «{name}», expected rmat, uniform or grid")),
    }
}

/// The options of a spec by their keys.
struct Options<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Options<'a> {
    /// Splits a list of `KEY=VALUE`, whose keys must be among `known`.
    fn split(list: &'a str, known: &[&str]) -> Result<Self, String> {
        let mut options = BTreeMap::new();
        for option in list.split(',').filter(|_| !list.is_empty()) {
            let pair = option.split_once('=');
            let (key, value) = pair.ok_or_else(|| format!("«{option}» is not KEY=VALUE"))?;
            if !known.contains(&key) {
                return Err(unknown(key, known));
            }
            if options.insert(key, value).is_some() {
                return Err(format!("{key} is given twice"));
            }
        }
        Ok(Self(options))
    }

    /// Adds the options of every kind.
    fn spec(&self, kind: Kind) -> Result<Spec, String> {
        let seed = self.number("seed", 0..=u64::MAX)?.unwrap_or(1);
        Ok(Spec {
            kind,
            seed,
            sym: self.switch("sym")?,
            dedup: self.switch("dedup")?,
            maxw: self.number("maxw", 1..=MAX_WEIGHT)?.unwrap_or(255) as u32,
            wseed: self.number("wseed", 0..=u64::MAX)?.unwrap_or(seed),
        })
    }

    fn number(&self, key: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, String> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        match value.parse().ok().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let (least, most) = (range.start(), range.end());
                Err(format!("{key}={value}: expected a whole number from {least} to {most}"))
            }
        }
    }

    fn needed(&self, key: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
        self.number(key, range)?.ok_or_else(|| format!("the option {key}=NUMBER is missing"))
    }

    /// A switch that is on unless it is 0.
    fn switch(&self, key: &str) -> Result<bool, String> {
        Ok(self.number(key, 0..=1)?.unwrap_or(1) == 1)
    }
}

/// What is wrong with a key that is not known, and which one may be meant.
fn unknown(key: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|known| (distance(key, known), known)).min();
    let meant = nearest.filter(|(distance, known)| *distance <= 1 + known.len() / 4);
    let meant = meant.map_or(String::new(), |(_, known)| format!("; did you mean {known}?"));
    format!("unknown option «{key}», expected one of {}{meant}", known.join(", "))
}

/// The number of letters to insert, remove or replace to make `a` of `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Writes the options that differ from their defaults, in a fixed order.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = match self.kind {
            Kind::Rmat(Rmat { scale, ef, perm }) => {
                write!(f, "rmat:scale={scale}")?;
                [("ef", ef, 16), ("perm", perm.into(), 1)]
            }
            Kind::Uniform(Uniform { n, m }) => {
                write!(f, "uniform:n={n},m={m}")?;
                [("", 0, 0); 2]
            }
            Kind::Grid(Grid { rows, cols, drop }) => {
                write!(f, "grid:rows={rows},cols={cols}")?;
                [("drop", drop.into(), 0), ("", 0, 0)]
            }
        };
        let common = [
            ("seed", self.seed, 1),
            ("sym", self.sym.into(), 1),
            ("dedup", self.dedup.into(), 1),
            ("maxw", self.maxw.into(), 255),
            ("wseed", self.wseed, self.seed),
        ];
        for (key, value, default) in own.into_iter().chain(common) {
            if value != default {
                write!(f, ",{key}={value}")?;
            }
        }
        Ok(())
    }
}
