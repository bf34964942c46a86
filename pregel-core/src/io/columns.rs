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
    /// The first line that is no comment names the columns.
    Yes,
    /// The first line that is no comment is an edge.
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
    pub fn with_weight(mut self, weight: impl Into<Option<Column>>) -> Self {
        self.weight = weight.into();
        self
    }
}

/// A text that does not name columns.
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
