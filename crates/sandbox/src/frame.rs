//! Frames: a length of four bytes, big-endian, and that many bytes.

use std::io::{self, Read};

/// The most bytes that a frame may have: what the host keeps of one answer, and what it sends.
pub const MAX_FRAME: usize = 16 << 20;

const HEADER: usize = size_of::<u32>();

/// Appends a frame. Of a body longer than `most` only the length is said: the reader refuses it.
pub(crate) fn append(out: &mut Vec<u8>, body: &[u8], most: usize) {
    out.extend_from_slice(&u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
    if body.len() <= most {
        out.extend_from_slice(body);
    }
}

/// Reads the next frame; nothing, where the stream ends before one begins.
pub(crate) fn read(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut header = [0; HEADER];
    let mut got = 0;
    while got < HEADER {
        match from.read(&mut header[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = length_of(header);
    if length > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}

fn length_of(header: [u8; HEADER]) -> usize {
    usize::try_from(u32::from_be_bytes(header)).unwrap_or(usize::MAX)
}

/// A frame that arrives piece by piece from a sender that is not trusted.
#[derive(Debug)]
pub(crate) struct Incoming {
    most: usize,
    bytes: Vec<u8>,
}

impl Incoming {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, bytes: Vec::new() }
    }

    /// Takes what belongs to this frame from the front of `piece`. The error is the length that
    /// the frame says it has and may not have.
    pub(crate) fn take(&mut self, piece: &mut &[u8]) -> Result<(), usize> {
        while !piece.is_empty() {
            // Nothing is reserved for a length that is only promised.
            let wanted = self.wanted()?.min(piece.len());
            if wanted == 0 {
                return Ok(());
            }
            let (ours, rest) = piece.split_at(wanted);
            self.bytes.extend_from_slice(ours);
            *piece = rest;
        }
        self.wanted().map(drop)
    }

    /// Returns how many bytes are missing, as far as is known.
    fn wanted(&self) -> Result<usize, usize> {
        let Some(header) = self.bytes.first_chunk() else {
            return Ok(HEADER - self.bytes.len());
        };
        let length = length_of(*header);
        if length > self.most {
            return Err(length);
        }
        Ok(HEADER + length - self.bytes.len())
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.wanted() == Ok(0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes of a complete frame.
    pub(crate) fn into_body(mut self) -> Vec<u8> {
        self.bytes.drain(..HEADER);
        self.bytes
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.bytes.get(HEADER..).unwrap_or_default()
    }
}
