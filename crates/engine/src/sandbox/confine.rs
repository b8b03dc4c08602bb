//! The step between guard and agent: shuts itself in and becomes the agent.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use super::bounds::Bounds;
use super::landlock;
use crate::error::chain;

const WRITE: &str = "--write";
const HIDE: &str = "--hide";
const SHOW: &str = "--show";
const END: &str = "--";

/// What the hidden subcommand calls with the arguments that `arguments` made. Returns only when it failed; the agent
/// is then not started at all.
pub fn confine_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Some((bounds, program, args)) = parse(args.into_iter()) else {
        eprintln!("ralph: these are no bounds for a sandbox (only ralph itself asks for one)");
        return ExitCode::from(2);
    };
    // An agent that came to the run later may keep its own state elsewhere.
    if let Some(path) = bounds.around_hidden().or(bounds.in_hidden()) {
        eprintln!(
            "ralph: no sandbox: the agent may write to {}, and so to ralph's own state",
            path.display()
        );
        return ExitCode::from(126);
    }
    if let Err(error) = landlock::restrict(&bounds) {
        eprintln!("ralph: the sandbox could not be made: {}", chain(&error));
        return ExitCode::from(126);
    }
    let error = Command::new(&program).args(args).exec();
    eprintln!("ralph: cannot start {} in the sandbox: {error}", program.to_string_lossy());
    ExitCode::from(127)
}

/// What [`confine_main`] is to be called with.
pub(super) fn arguments(bounds: &Bounds) -> Vec<OsString> {
    let mut args = vec![HIDE.into(), bounds.hidden.clone().into()];
    args.extend(bounds.write.iter().flat_map(|path| [WRITE.into(), path.into()]));
    args.extend(bounds.shown.iter().flat_map(|path| [SHOW.into(), path.into()]));
    args
}

fn parse(mut args: impl Iterator<Item = OsString>) -> Option<(Bounds, OsString, Vec<OsString>)> {
    let (mut write, mut hidden, mut shown) = (Vec::new(), None, None);
    loop {
        match args.next()?.to_str()? {
            WRITE => write.push(args.next()?.into()),
            HIDE => hidden = Some(args.next()?.into()),
            SHOW => shown = Some(args.next()?.into()),
            END => break,
            _ => return None,
        }
    }
    let bounds = Bounds { write, hidden: hidden?, shown, network: true };
    Some((bounds, args.next()?, args.collect()))
}

#[cfg(test)]
mod tests {
    use super::{Bounds, arguments, parse};
    use std::ffi::OsString;

    #[test]
    fn bounds_survive_the_way_through_the_arguments() {
        let bounds = Bounds {
            write: vec!["/a b".into(), "/--write".into()],
            hidden: "/s".into(),
            shown: Some("/s/x".into()),
            network: true,
        };
        let agent: Vec<OsString> = ["--", "agent", "--", "--hide", "x"].map(Into::into).to_vec();
        let args = arguments(&bounds).into_iter().chain(agent);
        let (read, program, rest) = parse(args).unwrap();
        assert_eq!((read, program), (bounds, "agent".into()));
        assert_eq!(rest, ["--", "--hide", "x"]);
        assert!(parse(["--write", "/x", "--", "agent"].map(Into::into).into_iter()).is_none());
    }
}
