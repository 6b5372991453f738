//! A package whose reading can be called off.

use std::fs::File;

use kitbag_package::{Contents, Entry, PackageError, PackageReader};
use kitbag_types::{Code, Watch};

/// Reads another package, as long as nobody calls it off.
pub(crate) struct Watched<'p> {
    pub(crate) package: &'p dyn PackageReader,
    pub(crate) watch: &'p dyn Watch,
}

impl Watched<'_> {
    fn check(&self) -> Result<(), PackageError> {
        if self.watch.is_cancelled() {
            return Err(PackageError::new(Code::OperationCancelled, "", ""));
        }
        Ok(())
    }
}

impl PackageReader for Watched<'_> {
    fn entries(&self) -> &[Entry] {
        self.package.entries()
    }

    fn contents(&self, entry: &Entry) -> Result<Contents, PackageError> {
        self.check()?;
        self.package.contents(entry)
    }

    fn file(&self, entry: &Entry) -> Result<Option<File>, PackageError> {
        self.check()?;
        self.package.file(entry)
    }

    fn left_out(&self) -> &[String] {
        self.package.left_out()
    }
}
