//! A look at the bytes of a database file before SQLite sees it.
//!
//! SQLite takes an empty file for a new database and finds a truncated one only when it reads a
//! page that is not there. Both would end in an empty registry over a damaged one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::migrate::{APPLICATION_ID, SCHEMA_VERSION};
use crate::StoreError;

/// The first bytes of every SQLite database (source: the SQLite file format, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;

/// What lies at the path of a database.
pub(super) enum Found {
    Nothing,
    Database,
}

/// Looks at the file at `path`. Of one that is refused, not a byte is changed, nor is anything made
/// beside it.
pub(super) fn look(path: &Path) -> Result<Found, StoreError> {
    let failed = |source| StoreError::Io { action: "read", path: path.to_owned(), source };
    let size = match fs_err::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Err(foreign(path, "it is not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(failed(error)),
    };
    check_companions(path)?;
    let header = header(path).map_err(failed)?;
    judge(path, &header, size)?;
    Ok(Found::Database)
}

/// The database files that this process has looked at, by device and inode.
///
/// They stay open: to close any handle of a file lets go of every POSIX lock that the process has on
/// it, SQLite's among them, and then another process may take the write-ahead log away under a
/// registry that is open (source: "How To Corrupt An SQLite Database File", section 2.2).
static LOOKED_AT: Mutex<BTreeMap<(u64, u64), File>> = Mutex::new(BTreeMap::new());

/// Reads the first bytes of a database.
fn header(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs_err::metadata(path)?;
    // A map holds no state that a panic could leave half-done.
    let mut files = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match files.entry((metadata.dev(), metadata.ino())) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(fs_err::File::open(path)?.into_parts().0),
    };
    let mut header = [0; HEADER_BYTES];
    let mut length = 0;
    while length < HEADER_BYTES {
        match file.read_at(&mut header[length..], length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(header[..length].to_vec())
}

/// SQLite opens the files beside a database by their names: one that is a FIFO would keep it waiting
/// for ever, and a link would have it write elsewhere.
fn check_companions(path: &Path) -> Result<(), StoreError> {
    for suffix in ["-journal", "-wal", "-shm"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        match fs_err::symlink_metadata(&beside) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => {
                let why =
                    format!("the file beside it that ends in `{suffix}` is not a regular file");
                return Err(foreign(path, &why));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => {
                return Err(StoreError::Io { action: "examine", path: path.to_owned(), source });
            }
        }
    }
    Ok(())
}

fn judge(path: &Path, header: &[u8], size: u64) -> Result<(), StoreError> {
    let damaged = |why: String| Err(StoreError::Damaged { path: path.to_owned(), why });
    if header.is_empty() {
        return damaged("it is empty".to_owned());
    }
    if header.iter().all(|&byte| byte == 0) {
        return damaged("it begins with zeros".to_owned());
    }
    let Ok(header) = <&[u8; HEADER_BYTES]>::try_from(header) else {
        return damaged(format!("it has {size} bytes, less than a header"));
    };
    if !header.starts_with(MAGIC) {
        return damaged("it is not an SQLite database".to_owned());
    }
    let page_size = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65_536,
        other => other,
    };
    // The page count holds only where its writer kept it (section 1.3.8), and a checkpoint that
    // was interrupted is finished from the write-ahead log.
    let counted = word(header, 24) == word(header, 92);
    let expected = page_size * u64::from(word(header, 28));
    if counted && size < expected && is_closed_wal(path) {
        return damaged(format!("it is truncated: {size} of {expected} bytes are there"));
    }
    let (application, version) = (word(header, 68), word(header, 60));
    if application != 0 && application != APPLICATION_ID {
        return Err(foreign(path, &format!("its application id is {application:#010x}")));
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: version,
            known: SCHEMA_VERSION,
        });
    }
    Ok(())
}

fn word(header: &[u8; HEADER_BYTES], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn foreign(path: &Path, why: &str) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), why: why.to_owned() }
}

/// Tells whether no write-ahead log holds anything that the database file does not.
pub(super) fn is_closed_wal(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs_err::metadata(&log).map_or(true, |metadata| metadata.len() == 0)
}

/// Returns the URI by which SQLite reads the file as one that does not change.
pub(super) fn immutable_uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
