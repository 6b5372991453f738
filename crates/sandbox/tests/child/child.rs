//! The program that the tests start: it does, locked down, what the request says.
#![expect(unsafe_code, reason = "to try a descriptor by its number, as foreign code would")]
#![expect(
    clippy::disallowed_methods,
    reason = "no dependencies: it is built as a part of the crate"
)]
#![expect(clippy::exit, reason = "ends between two frames, as foreign code would")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, exit};
use std::{env, io::Read as _, thread};

use kitbag_sandbox::{Limits, Need, enter, serve, serve_on_stack};

fn main() -> ExitCode {
    let argument = env::args().nth(1).unwrap_or_default();
    match argument.strip_prefix("stack=") {
        Some(stack) => serve_on_stack(stack.parse().expect("a number"), answer),
        None => serve(answer),
    }
}

fn answer(request: &[u8]) -> Vec<u8> {
    let request = String::from_utf8_lossy(request);
    let (job, argument) = request.split_once(' ').unwrap_or((&request, ""));
    match act(job, argument) {
        Ok(done) => done,
        Err(error) => format!("error: {error}").into_bytes(),
    }
}

fn act(job: &str, argument: &str) -> io::Result<Vec<u8>> {
    let done = || Ok(b"done".to_vec());
    match job {
        "echo" => Ok(argument.as_bytes().to_vec()),
        "length" => Ok(argument.len().to_string().into_bytes()),
        "environment" => Ok(format!("{:?}", env::vars_os().collect::<Vec<_>>()).into_bytes()),
        "compute" => Ok(compute(argument).into_bytes()),

        // What it may not do.
        "read" => fs::read(argument),
        "create" => fs::write(argument, "x").and_then(|()| done()),
        "create-folder" => fs::create_dir(argument).and_then(|()| done()),
        "remove" => fs::remove_file(argument).and_then(|()| done()),
        "connect" => TcpStream::connect(argument).and_then(|_| done()),
        "bind-udp" => UdpSocket::bind(argument).and_then(|_| done()),
        "pair" => UnixStream::pair().and_then(|_| done()),
        "start" => Command::new(argument).status().and_then(|_| done()),
        "become" => Err(Command::new(argument).exec()),
        "thread" => thread::Builder::new().spawn(|| ()).and_then(|_| done()),
        "signal" => {
            let pid = argument.parse().ok().and_then(rustix::process::Pid::from_raw);
            rustix::process::test_kill_process(pid.expect("a number"))?;
            done()
        }
        "descriptor" => read_descriptor(argument.parse().expect("a number")),

        // A second lock-down, for which the first left no descriptor to make Landlock's rules of.
        "enter-again" => {
            let files = if argument == "tolerant" { Need::IfAvailable } else { Need::Required };
            let limits = Limits { files, calls: Need::LeftOut, ..Limits::default() };
            let lockdown = enter(&limits).map_err(io::Error::other)?;
            Ok(lockdown.to_string().into_bytes())
        }

        // How it may end.
        "memory" => loop_over_memory(),
        "loop" => loop {
            black_box(());
        },
        "recurse-to" => Ok(recurse_to(argument.parse().expect("a number")).to_string().into()),
        "recurse" => Ok(recurse(1).to_string().into_bytes()),
        "panic" => panic!("{argument}"),
        "exit" => exit(argument.parse().expect("a number")),

        // What it may send.
        "raw" => {
            let bytes: Vec<u8> =
                argument.split(',').map(|byte| byte.parse().expect("a byte")).collect();
            io::stdout().write_all(&bytes)?;
            io::stdout().flush()?;
            exit(0)
        }
        "two" => {
            io::stdout().write_all(b"\0\0\0\x01x")?;
            Ok(b"y".to_vec())
        }
        "answer-of" => Ok(vec![b'x'; argument.parse().expect("a number")]),
        "shout" => {
            for _ in 0..1000 {
                io::stderr().write_all(&[b'!'; 1000])?;
            }
            done()
        }
        "fall-silent" => {
            // SAFETY: nothing of this program writes to the stream afterwards.
            drop(unsafe { OwnedFd::from_raw_fd(1) });
            act("loop", "")
        }
        _ => Ok(b"no such job".to_vec()),
    }
}

fn read_descriptor(number: i32) -> io::Result<Vec<u8>> {
    // SAFETY: the test left it open for this, and nothing else of this program knows it.
    let mut file = unsafe { File::from_raw_fd(number) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Grows, sorts and hashes: what a parser or an engine does all day.
fn compute(text: &str) -> String {
    let words: std::collections::HashMap<_, _> =
        text.split_whitespace().map(|word| (word, vec![0_u8; 1 << 20])).collect();
    let mut words: Vec<_> = words.keys().copied().collect();
    words.sort_unstable();
    words.join(" ")
}

fn loop_over_memory() -> ! {
    let mut all = Vec::new();
    loop {
        all.push(vec![1_u8; 1 << 20]);
        black_box(&all);
    }
}

#[expect(unconditional_recursion, reason = "that is what is tried")]
fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(depth + 1) + room[0]
}

/// Each level takes a kilobyte of stack at least.
fn recurse_to(levels: u64) -> u64 {
    let room = black_box([levels; 128]);
    if levels == 0 { 0 } else { recurse_to(levels - 1) + room[0].min(1) }
}
