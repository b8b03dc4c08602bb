//! What a brief is made of: Handlebars templates, the variables that they have, and where they are looked for.
//!
//! [`find()`] once, when a run starts: it reads and checks the template. [`Template::render`] with the [`Vars`] of each
//! attempt. What is in a variable is data and is never read as a template.
//!
//! Of Handlebars there is what a prompt needs: `{{name}}`, `{{{name}}}`, dotted paths, `#if`, `#unless`, `#each`, `#with`,
//! `else`, comments, `~`, escapes; and nothing that could reach anything: no partials, no helpers, no decorators. Text is
//! not escaped, as it is not HTML. Names are checked in every branch, taken or not, and size and time have bounds.

mod built_in;
mod check;
mod criteria;
mod error;
mod find;
mod lexer;
mod parse;
mod path;
mod render;
mod surroundings;
mod template;
mod tree;
mod variables;
mod vars;

pub use built_in::{NAMES, PROMPT, built_in};
pub use error::{Fault, RenderError, TemplateError};
pub use find::{FOLDER, Lookup, Origin, find, read};
pub use surroundings::{Prd, Surroundings};
pub use template::{LARGEST, Template};
pub use variables::{Field, Shape, VARIABLES, Variable};
pub use vars::{ConfigVars, EpicVars, NamedVars, PrdVars, TaskVars, TriedVars, Vars};
