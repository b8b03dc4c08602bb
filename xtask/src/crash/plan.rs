//! Which trials are held: every pass of every fail-point, and all system calls or a seeded sample of them.

use super::Args;
use super::lab::Lab;
use super::points::Victim;
use super::trial::{Blow, Trial};

/// How many runs are struck again while they are resumed.
const NESTED: usize = 24;
const NESTED_FULL: usize = 200;

pub(crate) fn trials(lab: &Lab, args: &Args) -> Vec<Trial> {
    let mut dice = Dice(args.seed);
    let calls = at_calls(lab);
    let (count, nests) = if args.full { (calls.len(), NESTED_FULL) } else { (args.points, NESTED) };
    let mut trials = at_steps(lab);
    trials.extend(dice.sample(calls, count));
    trials.extend(nested(lab, &mut dice, nests));
    trials
}

fn at_steps(lab: &Lab) -> Vec<Trial> {
    let passes = lab.passes.iter();
    passes
        .flat_map(|pass| victims(pass.guarded).iter().map(|victim| Trial::AtStep(pass.clone(), *victim)))
        .collect()
}

fn at_calls(lab: &Lab) -> Vec<Trial> {
    let calls = lab.calls.iter();
    calls
        .flat_map(|call| victims(call.guarded).iter().map(|victim| Trial::AtCall(call.clone(), *victim)))
        .collect()
}

/// Without a guard there is only ralph to kill.
fn victims(guarded: bool) -> &'static [Victim] {
    if guarded { &Victim::ALL } else { &[Victim::Ralph] }
}

/// Three blows in a row: in the run, in its resumption, in the resumption of that.
fn nested(lab: &Lab, dice: &mut Dice, count: usize) -> Vec<Trial> {
    let mut blow = |below: usize| Blow { nth: dice.below(below), victim: Victim::ALL[dice.below(3)] };
    // A resumption makes fewer calls than a whole run.
    let (run, resumed) = (lab.calls.len(), lab.calls.len() / 3);
    (0..count).map(|_| Trial::Nested([blow(run), blow(resumed), blow(resumed)])).collect()
}

/// The same numbers for the same seed, on every machine (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).expect("below a usize")
    }

    fn sample(&mut self, mut from: Vec<Trial>, count: usize) -> Vec<Trial> {
        let count = count.min(from.len());
        for at in 0..count {
            let other = at + self.below(from.len() - at);
            from.swap(at, other);
        }
        from.truncate(count);
        from
    }
}
