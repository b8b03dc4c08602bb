//! Whether a run that was decided on earlier can go on here: its agents, its judge, its sandbox.

use std::path::Path;

use ralph_agents::Staff;
use ralph_core::run::Run;
use ralph_engine::Place;

use crate::crew::check;
use crate::models::Asking;
use crate::onlookers::Onlookers;
use crate::perform::inherited;
use crate::problem::Problems;
use crate::sandbox::Ground;
use crate::servers;
use crate::settings::Settings;

pub(crate) async fn to_go_on(
    run: &Run,
    staff: &Staff,
    place: &Place,
    state_dir: &Path,
    settings: &Settings,
) -> Result<(), Problems> {
    check(&run.crew, staff, &run.policy.limits, &run.policy.completion.require)?;
    servers::check(&run.crew, staff, &place.root, &run.policy.completion.require).await?;
    let onlookers = Onlookers::check(&run.crew, staff, &run.policy, &settings.memory)?;
    let environment = &inherited(settings);
    let ground = Ground { root: &place.root, state_dir, environment, crew: &run.crew, staff };
    ground.renew(&run.policy.sandbox)?;
    let asking = Asking { staff, root: &place.root, environment };
    onlookers.check_surroundings(place, &run.policy, ground, asking).await
}
