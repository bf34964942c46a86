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

fn parse(text: &str) -> Result<Spec, String> {
    let (kind, list) = text.split_once(':').unwrap_or((text, ""));
    let mut options = Options::split(list)?;
    let kind = match kind {
        "rmat" => Kind::Rmat(Rmat {
            scale: options.needed("scale", 0..=Rmat::MAX_SCALE.into())? as u32,
            ef: options.number("ef", 0..=u64::MAX)?.unwrap_or(16),
            perm: options.switch("perm")?,
        }),
        "uniform" => Kind::Uniform(Uniform {
            n: options.needed("n", 0..=u32::MAX.into())? as u32,
            m: options.needed("m", 0..=u64::MAX / 2)?,
        }),
        "grid" => Kind::Grid(Grid {
            rows: options.needed("rows", 1..=u32::MAX.into())? as u32,
            cols: options.needed("cols", 1..=u32::MAX.into())? as u32,
            drop: options.number("drop", 0..=1000)?.unwrap_or(0) as u32,
        }),
        _ => return Err(format!("unknown kind «{kind}», expected rmat, uniform or grid")),
    };
    if let Kind::Grid(Grid { rows, cols, .. }) = kind
        && rows.checked_mul(cols).is_none()
    {
        let n = u64::from(rows) * u64::from(cols);
        return Err(format!("{n} vertices are more than 32-bit ids can name ({})", u32::MAX));
    }
    let seed = options.number("seed", 0..=u64::MAX)?.unwrap_or(1);
    let spec = Spec {
        kind,
        seed,
        sym: options.switch("sym")?,
        dedup: options.switch("dedup")?,
        maxw: options.number("maxw", 1..=MAX_WEIGHT)?.unwrap_or(255) as u32,
        wseed: options.number("wseed", 0..=u64::MAX)?.unwrap_or(seed),
    };
    options.finish()?;
    Ok(spec)
}

/// The options of a spec that nobody has asked for yet.
struct Options<'a> {
    left: BTreeMap<&'a str, &'a str>,
    known: Vec<&'static str>,
}

impl<'a> Options<'a> {
    fn split(list: &'a str) -> Result<Self, String> {
        let mut left = BTreeMap::new();
        for option in list.split(',').filter(|_| !list.is_empty()) {
            let pair = option.split_once('=');
            let (key, value) = pair.ok_or_else(|| format!("«{option}» is not KEY=VALUE"))?;
            if left.insert(key, value).is_some() {
                return Err(format!("{key} is given twice"));
            }
        }
        Ok(Self { left, known: Vec::new() })
    }

    fn number(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, String> {
        self.known.push(key);
        let Some(value) = self.left.remove(key) else { return Ok(None) };
        match value.parse().ok().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let (least, most) = (range.start(), range.end());
                Err(format!("{key}={value}: expected a whole number from {least} to {most}"))
            }
        }
    }

    fn needed(&mut self, key: &'static str, range: RangeInclusive<u64>) -> Result<u64, String> {
        self.number(key, range)?.ok_or_else(|| format!("{key}= is missing"))
    }

    /// On unless said otherwise.
    fn switch(&mut self, key: &'static str) -> Result<bool, String> {
        Ok(self.number(key, 0..=1)?.unwrap_or(1) == 1)
    }

    fn finish(self) -> Result<(), String> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => {
                Err(format!("unknown option «{key}», expected one of {}", self.known.join(", ")))
            }
        }
    }
}

/// Writes what differs from the defaults, in a fixed order.
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
