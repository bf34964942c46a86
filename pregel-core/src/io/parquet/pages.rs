//! Pages of a column, looked at before the decoder takes memory for them.

use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};

/// Refuses dictionaries that promise more values than they have bytes; the
/// crate parquet (60.1.0) would take memory for all of them.
pub(super) struct Checked(pub Box<dyn PageReader>);

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page
            && *num_values as usize > buf.len()
        {
            let message = format!("{num_values} values in a dictionary of {} bytes", buf.len());
            return Err(ParquetError::General(message));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}
