//! The scanner from outside: cases as folders, properties of every report, the documentation.

mod cases;
mod docs;
mod odd;
mod own;
mod properties;
mod sarif;
mod support;
mod syntax;
