//! Which columns of a table hold the edges, and whether a line names them.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use thiserror::Error;

/// Whether the first line of an edge list names its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Header {
    /// Found out from the first lines; a [`Note`](crate::io::Note) says what
    /// was decided.
    #[default]
    Auto,
    /// The first line that is not a comment names the columns.
    Yes,
    /// The first line that is not a comment is an edge.
    No,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// By its name in the header; upper and lower case are the same.
    Name(String),
    /// By its place; the first column is 1.
    Number(NonZeroUsize),
}

/// Which columns of a table hold the edges.
///
/// ```
/// use pregel_core::io::{Column, Columns};
///
/// let columns: Columns = "from,to,3".parse()?;
/// assert_eq!(columns.from, Column::Name("from".into()));
/// assert_eq!(columns.weight, Some("3".parse()?));
/// # Ok::<(), pregel_core::io::ColumnsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Columns {
    /// The source of each edge.
    pub from: Column,
    /// The target of each edge.
    pub to: Column,
    /// The weight of each edge; without it, edges have no weights.
    pub weight: Option<Column>,
}

impl Columns {
    /// Edges lead from one column to another and have no weights.
    pub fn new(from: Column, to: Column) -> Self {
        Self { from, to, weight: None }
    }

    /// Sets the column of the weights.
    #[must_use]
    pub fn with_weight(self, weight: impl Into<Option<Column>>) -> Self {
        Self { weight: weight.into(), ..self }
    }
}

/// Columns that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// Not two or three columns.
    #[error("expected two or three columns, FROM,TO or FROM,TO,WEIGHT, found {found}")]
    Count {
        /// How many columns were given.
        found: usize,
    },
    /// A column without a name or a number.
    #[error("expected the name or the number of a column, found nothing")]
    Empty,
    /// Column 0, or a number with too many digits.
    #[error("columns are counted from 1; there is no column {found}")]
    Number {
        /// What was given.
        found: String,
    },
    /// No column has this name.
    #[error("expected a column «{name}», found {}", listed(found))]
    NotFound {
        /// The name.
        name: String,
        /// The names in the header.
        found: Vec<String>,
    },
    /// More than one column has this name.
    #[error("two columns are called «{name}»; choose by number, the first column is 1")]
    Twice {
        /// The name.
        name: String,
    },
    /// A table of fewer columns.
    #[error("expected a column {number}, found {columns} columns")]
    TooFew {
        /// The number.
        number: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A column chosen by name in a file that is said to have no header.
    #[error("column «{name}» is chosen by name, but the file is said to have no header")]
    NoHeader {
        /// The name.
        name: String,
    },
    /// Source and target in one column.
    #[error("expected two columns for the ends of an edge, found column «{column}» for both")]
    Same {
        /// The column.
        column: String,
    },
}

/// Names for an error message.
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("«{name}»")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Pairs of names for the columns of sources and targets.
pub(super) const FROM_TO: &[[&str; 2]] = &[
    ["source", "target"],
    ["src", "dst"],
    ["from", "to"],
    ["id_1", "id_2"],
    ["id1", "id2"],
    ["node1", "node2"],
    ["node_1", "node_2"],
    ["u", "v"],
    ["fromnodeid", "tonodeid"],
    ["source_id", "target_id"],
    ["from_id", "to_id"],
    ["src_id", "dst_id"],
];

/// Names for the column of weights.
pub(super) const WEIGHTS: &[&str] = &["weight", "weights", "w", "length", "distance", "cost"];

/// The name of a column as names are compared.
pub(super) fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The column whose name is `wanted`, if exactly one is.
pub(super) fn single(names: &[String], wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let mut places = (0..names.len()).filter(|i| wanted(&names[*i]));
    places.next().filter(|_| places.next().is_none())
}

/// The columns of sources and targets, if exactly two have such names.
pub(super) fn pair(names: &[String]) -> Option<[usize; 2]> {
    let find = |wanted: &str| single(names, |name| name == wanted);
    let mut pairs = FROM_TO.iter().filter_map(|[from, to]| Some([find(from)?, find(to)?]));
    pairs.next().filter(|_| pairs.next().is_none())
}

/// The columns of a table that are read, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Picked {
    pub from: usize,
    pub to: usize,
    pub weight: Option<usize>,
}

impl Columns {
    /// Whether a column is chosen by name.
    pub(super) fn has_names(&self) -> bool {
        let mut all = [&self.from, &self.to].into_iter().chain(&self.weight);
        all.any(|column| matches!(column, Column::Name(_)))
    }

    /// Finds the columns among those of these names; `None` if columns have
    /// no names.
    pub(super) fn find<S: AsRef<str>>(&self, names: Option<&[S]>) -> Result<Picked, ColumnsError> {
        let find = |column: &Column| column.find(names);
        let picked = Picked {
            from: find(&self.from)?,
            to: find(&self.to)?,
            weight: self.weight.as_ref().map(find).transpose()?,
        };
        if picked.from == picked.to {
            return Err(ColumnsError::Same { column: self.from.to_string() });
        }
        Ok(picked)
    }
}

impl Column {
    fn find<S: AsRef<str>>(&self, names: Option<&[S]>) -> Result<usize, ColumnsError> {
        let name = match self {
            Self::Number(number) => {
                let number = number.get();
                return match names.map(<[S]>::len).filter(|columns| number > *columns) {
                    Some(columns) => Err(ColumnsError::TooFew { number, columns }),
                    None => Ok(number - 1),
                };
            }
            Self::Name(name) => name,
        };
        let Some(names) = names else {
            return Err(ColumnsError::NoHeader { name: name.clone() });
        };
        let same = |place: &usize| names[*place].as_ref().trim() == name.trim();
        let alike = |place: &usize| key(names[*place].as_ref()) == key(name);
        let exact: Vec<usize> = (0..names.len()).filter(same).collect();
        let found = if exact.is_empty() { (0..names.len()).filter(alike).collect() } else { exact };
        match found[..] {
            [place] => Ok(place),
            [] => Err(ColumnsError::NotFound {
                name: name.clone(),
                found: names.iter().map(|name| name.as_ref().to_owned()).collect(),
            }),
            _ => Err(ColumnsError::Twice { name: name.clone() }),
        }
    }
}

impl FromStr for Column {
    type Err = ColumnsError;

    /// A number if the text has only digits, otherwise a name.
    fn from_str(text: &str) -> Result<Self, ColumnsError> {
        let text = text.trim();
        if text.is_empty() {
            Err(ColumnsError::Empty)
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let wrong = |_| ColumnsError::Number { found: text.to_owned() };
            text.parse().map(Self::Number).map_err(wrong)
        } else {
            Ok(Self::Name(text.to_owned()))
        }
    }
}

impl FromStr for Columns {
    type Err = ColumnsError;

    /// `FROM,TO` or `FROM,TO,WEIGHT`, each a name or a number.
    fn from_str(text: &str) -> Result<Self, ColumnsError> {
        let parts: Vec<&str> = text.split(',').collect();
        match parts[..] {
            [from, to] => Ok(Self::new(from.parse()?, to.parse()?)),
            [from, to, weight] => {
                Ok(Self::new(from.parse()?, to.parse()?).with_weight(weight.parse::<Column>()?))
            }
            _ => Err(ColumnsError::Count { found: parts.len() }),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.from, self.to)?;
        self.weight.as_ref().map_or(Ok(()), |weight| write!(f, ",{weight}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn columns_are_names_or_numbers() {
        for text in ["from,to", "1,2", "2,3,weight", "id,3,2"] {
            assert_eq!(text.parse::<Columns>().unwrap().to_string(), text);
        }
        assert_eq!("1,2".parse::<Columns>().unwrap().weight, None);
        assert_eq!(" a , b ".parse(), "a,b".parse::<Columns>());
    }

    #[test]
    fn what_names_no_columns_is_refused() {
        let parse = str::parse::<Columns>;
        assert_eq!(parse("from"), Err(ColumnsError::Count { found: 1 }));
        assert_eq!(parse("1,2,3,4"), Err(ColumnsError::Count { found: 4 }));
        assert_eq!(parse("from,"), Err(ColumnsError::Empty));
        for number in ["0", "99999999999999999999999"] {
            let error = ColumnsError::Number { found: number.to_owned() };
            assert_eq!(parse(&format!("1,{number}")), Err(error));
        }
    }
}
