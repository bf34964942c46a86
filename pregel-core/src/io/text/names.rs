//! Vertices that have names.

use std::collections::HashMap;
use std::path::Path;

use super::{LineError, shown};
use crate::graph::Ids;
use crate::io::LoadError;

/// What separates names on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Tab,
    Comma,
    /// Any number of spaces.
    Blanks,
}

impl Separator {
    /// By the first line: a tab if it has one, else a comma, else spaces; so
    /// names may hold spaces where columns do not end with them.
    pub fn of(line: &[u8]) -> Self {
        if line.contains(&b'\t') {
            Self::Tab
        } else if line.contains(&b',') {
            Self::Comma
        } else {
            Self::Blanks
        }
    }

    /// The fields of a line, without blanks around.
    pub fn split<'a>(self, line: &'a [u8]) -> Box<dyn Iterator<Item = &'a [u8]> + 'a> {
        match self {
            Self::Tab => Box::new(line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii)),
            Self::Comma => Box::new(line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)),
            Self::Blanks => {
                Box::new(line.split(|byte| *byte == b' ').filter(|field| !field.is_empty()))
            }
        }
    }
}

/// Names in the order in which they first came.
#[derive(Default)]
pub(in crate::io) struct NameTable<'a> {
    vertices: HashMap<&'a str, u32>,
    order: Vec<&'a str>,
}

impl<'a> NameTable<'a> {
    /// The dense id of a name, a new one if it comes for the first time.
    pub fn vertex(&mut self, name: &'a [u8]) -> Result<u32, LineError> {
        let wrong = || LineError::Name { found: shown(name) };
        let name = std::str::from_utf8(name).map_err(|_| wrong())?;
        if let Some(vertex) = self.vertices.get(name) {
            return Ok(*vertex);
        }
        if name.chars().any(char::is_control) {
            return Err(wrong());
        }
        let vertex = self.order.len() as u32;
        self.vertices.insert(name, vertex);
        self.order.push(name);
        Ok(vertex)
    }

    /// The ids of the vertices so far.
    pub fn finish(self, path: &Path) -> Result<Ids, LoadError> {
        let bytes = self.order.iter().map(|name| name.len()).sum();
        let mut text = Vec::with_capacity(bytes);
        let mut ends = Vec::with_capacity(self.order.len());
        for name in &self.order {
            text.extend_from_slice(name.as_bytes());
            ends.push(text.len() as u64);
        }
        let damaged = |source| LoadError::Ids { path: path.to_owned(), source };
        Ids::names(text.into(), ends.into()).map_err(damaged)
    }
}
