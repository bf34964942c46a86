//! The options of a spec: `KEY=VALUE`, separated by commas.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::decimal::Decimal;

/// The options of a spec by their keys.
pub(super) struct Options<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Options<'a> {
    /// Splits a list of `KEY=VALUE`, whose keys must be among `known`.
    pub(super) fn split(list: &'a str, known: &[&str]) -> Result<Self, String> {
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

    pub(super) fn number(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, String> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        match value.parse().ok().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let (least, most) = (range.start(), range.end());
                Err(format!("{key}={value}: expected a whole number from {least} to {most}"))
            }
        }
    }

    pub(super) fn needed(&self, key: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
        self.number(key, range)?.ok_or_else(|| missing(key))
    }

    /// A decimal number from 0 to `most`.
    pub(super) fn decimal(&self, key: &str, most: u64) -> Result<Option<Decimal>, String> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let largest = Decimal::from_billionths(most * Decimal::ONE);
        match Decimal::parse(value).filter(|number| *number <= largest) {
            Some(number) => Ok(Some(number)),
            None => Err(format!(
                "{key}={value}: expected a number from 0 to {most} with at most {} decimals, \
                 such as 0.25",
                Decimal::PLACES
            )),
        }
    }

    pub(super) fn needed_decimal(&self, key: &str, most: u64) -> Result<Decimal, String> {
        self.decimal(key, most)?.ok_or_else(|| missing(key))
    }

    /// A switch: 0 is off, 1 is on.
    pub(super) fn switch(&self, key: &str, default: bool) -> Result<bool, String> {
        Ok(self.number(key, 0..=1)?.map_or(default, |on| on == 1))
    }
}

fn missing(key: &str) -> String {
    format!("the option {key}=NUMBER is missing")
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
