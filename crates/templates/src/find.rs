//! Where templates are looked for.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::built_in::built_in;
use crate::error::TemplateError;
use crate::template::{LARGEST, Template};

/// Below `.ralph` in a project, and beside a person's `config.toml`.
pub const FOLDER: &str = "templates";

/// Whose template it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The file that was named.
    Given(PathBuf),
    Project(PathBuf),
    User(PathBuf),
    /// The tracker's own, by its name.
    Tracker(String),
    BuiltIn(&'static str),
}

impl Origin {
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Origin::Given(path) | Origin::Project(path) | Origin::User(path) => Some(path),
            Origin::Tracker(_) | Origin::BuiltIn(_) => None,
        }
    }

    /// Whether a person wrote it, and not ralph.
    pub fn is_custom(&self) -> bool {
        !matches!(self, Origin::BuiltIn(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Given(path) | Origin::Project(path) | Origin::User(path) => path.display().fmt(f),
            Origin::Tracker(name) => write!(f, "the template of {name}"),
            Origin::BuiltIn(name) => write!(f, "the built-in template {name}"),
        }
    }
}

/// What decides which template is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The file that a person named; below the project's root unless it is absolute.
    pub given: Option<PathBuf>,
    pub project_root: PathBuf,
    /// The directory of the user's `config.toml`.
    pub user_dir: Option<PathBuf>,
    /// The tracker's name, or `prompt`.
    pub tracker: String,
    /// What the tracker itself offers.
    pub own: Option<String>,
}

/// The first there is: the file that was named, the project's, the user's, the tracker's, ralph's own. One that is there
/// and not right is an error and never passed over.
pub fn find(lookup: &Lookup) -> Result<Template, TemplateError> {
    if let Some(given) = &lookup.given {
        let path = lookup.project_root.join(given);
        return match read(&path)? {
            Some(text) => Template::compile(Origin::Given(path), &text),
            None => Err(TemplateError::Missing { path }),
        };
    }
    let file = file_name(&lookup.tracker)?;
    let project = lookup.project_root.join(".ralph").join(FOLDER).join(&file);
    if let Some(text) = read(&project)? {
        return Template::compile(Origin::Project(project), &text);
    }
    if let Some(user) = lookup.user_dir.as_ref().map(|dir| dir.join(FOLDER).join(&file))
        && let Some(text) = read(&user)?
    {
        return Template::compile(Origin::User(user), &text);
    }
    if let Some(own) = &lookup.own {
        return Template::compile(Origin::Tracker(lookup.tracker.clone()), own);
    }
    let (name, text) = built_in(&lookup.tracker);
    Template::compile(Origin::BuiltIn(name), text)
}

/// A name is never a way out of the directory.
fn file_name(tracker: &str) -> Result<String, TemplateError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if tracker.is_empty() || !tracker.chars().all(is_plain) {
        return Err(TemplateError::Name { name: tracker.to_owned() });
    }
    Ok(format!("{tracker}.hbs"))
}

/// The text of a file; none if there is no file.
pub fn read(path: &Path) -> Result<Option<String>, TemplateError> {
    let unreadable = |why: String| TemplateError::Unreadable { path: path.to_owned(), why };
    // A pipe would never end, and to open one would wait for its other end.
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(unreadable("it is not a file".to_owned())),
        Err(error) if is_absent(path, &error) => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > LARGEST {
        return Err(unreadable(format!("it has more than {LARGEST} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        unreadable(format!("its byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1))
    })?;
    Ok(Some(text))
}

/// A link that leads nowhere is something, and not nothing.
fn is_absent(path: &Path, error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) && path.symlink_metadata().is_err()
}
