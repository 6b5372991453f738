//! The file of known findings that `kitbag scan` reads and writes.

use std::io::{self, Read as _};
use std::path::Path;

use kitbag_lifecycle::{Baseline, LifecycleError, MAX_BASELINE_BYTES};

use super::lock::write as write_document;

/// Reads a baseline.
pub(super) fn read(here: &Path, file: &Path) -> Result<Baseline, LifecycleError> {
    let path = here.join(file);
    let bytes = bytes_of(&path).map_err(|error| reading(file, error))?;
    Baseline::parse(&bytes, folder_of(&path))
}

/// Begins the baseline that a file is going to be. One that is there keeps its key, so that what is
/// known on stays as it is written; anything else that is there is not overwritten.
pub(super) fn begin(here: &Path, file: &Path) -> Result<Baseline, LifecycleError> {
    let path = here.join(file);
    match bytes_of(&path) {
        Ok(bytes) => Ok(Baseline::parse(&bytes, folder_of(&path))?.emptied()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = [0; 32];
            getrandom::fill(&mut key).map_err(|error| {
                LifecycleError::reading("the system's source of chance", error.into())
            })?;
            Ok(Baseline::new(key, folder_of(&path)))
        }
        Err(error) => Err(reading(file, error)),
    }
}

/// Writes a baseline, whole or not at all.
pub(super) fn write(here: &Path, file: &Path, baseline: &Baseline) -> Result<(), LifecycleError> {
    write_document(Some(&here.join(file)), &baseline.to_file())
}

/// Returns the bytes of a file, one more than a baseline may have at most.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BASELINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    fs_err::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn reading(file: &Path, error: io::Error) -> LifecycleError {
    LifecycleError::reading(&file.display().to_string(), error)
}
