//! Does the stage play what it promises?

mod controllers;
mod dump;
mod holding;
mod judged;
mod make;
mod random;
mod shares;
mod time;
