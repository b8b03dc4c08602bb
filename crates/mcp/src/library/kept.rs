//! The graph of the code, kept from one question to the next.

use std::path::PathBuf;
use std::sync::Mutex;

use ralph_engine::chain;
use ralph_graph::{Graph, GraphError, Options, Report, Watched};

/// A tree and the graph of its code, once somebody has asked for it. It is watched from then on, so that a further question
/// looks only at what has changed since.
#[derive(Debug)]
pub struct Code {
    root: PathBuf,
    kept: PathBuf,
    excludes_file: Option<PathBuf>,
    /// Questions come from several threads, and one graph is brought up to date for all of them.
    watched: Mutex<Option<Watched>>,
}

impl Code {
    /// `kept` is where the graph is kept, `excludes_file` a person's own rules for what git ignores.
    pub fn of(root: PathBuf, kept: PathBuf, excludes_file: Option<PathBuf>) -> Code {
        Code { root, kept, excludes_file, watched: Mutex::new(None) }
    }

    /// What is found in the graph as it is now. An error is a sentence for the agent.
    pub(super) fn ask<T>(&self, find: impl FnOnce(&Graph) -> Result<T, String>) -> Result<T, String> {
        let mut watched = self.watched.lock().unwrap_or_else(|broken| {
            // What somebody else's question came to grief over is thrown away, and looked at again.
            self.watched.clear_poison();
            let mut watched = broken.into_inner();
            *watched = None;
            watched
        });
        if let Err(error) = self.refresh(&mut watched) {
            *watched = None;
            return Err(format!("the code cannot be looked at: {}", chain(&error)));
        }
        watched.as_ref().map_or_else(|| Err("there is no code".to_owned()), |watched| find(watched.graph()))
    }

    fn refresh(&self, watched: &mut Option<Watched>) -> Result<Report, GraphError> {
        if let Some(watched) = watched {
            return watched.update();
        }
        let options = Options { excludes_file: self.excludes_file.clone(), ..Options::default() };
        let (opened, report) = Watched::new(&self.root, &self.kept, options, &|_, _| {})?;
        *watched = Some(opened);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Code;

    fn walked(code: &Code) -> usize {
        let mut watched = code.watched.lock().unwrap();
        code.refresh(&mut watched).unwrap().walked
    }

    fn names(code: &Code) -> Vec<String> {
        let names = |graph: &ralph_graph::Graph| Ok(graph.symbols().map(|one| one.qualified()).collect());
        code.ask(names).unwrap()
    }

    fn write(root: &Path, name: &str, text: &str) {
        fs::write(root.join(name), text).unwrap();
    }

    #[test]
    fn a_second_question_does_not_walk_the_tree_again_and_a_change_is_seen() {
        let (tree, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for number in 0..20 {
            write(tree.path(), &format!("part{number}.py"), &format!("def part{number}():\n    pass\n"));
        }
        let code = Code::of(tree.path().to_owned(), state.path().join("graph"), None);
        assert_eq!(walked(&code), 20);
        assert_eq!((walked(&code), names(&code).len()), (0, 20));
        write(tree.path(), "part3.py", "def renamed():\n    pass\n");
        let now = names(&code);
        assert!(now.contains(&"renamed".to_owned()) && !now.contains(&"part3".to_owned()), "{now:?}");
        assert_eq!(walked(&code), 0);
    }

    #[test]
    fn a_tree_that_is_gone_is_told_of_and_looked_at_again_once_it_is_back() {
        let (tree, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = tree.path().join("project");
        fs::create_dir(&root).unwrap();
        write(&root, "one.py", "def one():\n    pass\n");
        let code = Code::of(root.clone(), state.path().join("graph"), None);
        assert_eq!(names(&code), ["one"]);
        fs::rename(&root, tree.path().join("elsewhere")).unwrap();
        let _told = code.ask(|graph| Ok(graph.symbol_count()));
        fs::rename(tree.path().join("elsewhere"), &root).unwrap();
        write(&root, "two.py", "def two():\n    pass\n");
        assert_eq!(names(&code), ["one", "two"]);
    }
}
