//! Asks the kernel whether anything in a folder was opened.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

pub(crate) struct Watch(OwnedFd);

impl Watch {
    /// Watches a folder and the files in it, but not those in its folders.
    pub(crate) fn over(folder: &Path) -> Self {
        let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("inotify");
        add_watch(&watch, folder, WatchFlags::OPEN | WatchFlags::ACCESS).expect("watched");
        Self(watch)
    }

    /// Tells whether the folder or a file in it was opened or read since the last question.
    pub(crate) fn saw_anything(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.0, &mut buffer);
        let mut seen = false;
        loop {
            match reader.next() {
                Ok(_) => seen = true,
                Err(Errno::AGAIN) => return seen,
                Err(errno) => panic!("inotify cannot be read: {errno}"),
            }
        }
    }
}
