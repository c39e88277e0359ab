//! Record of what is known after each step of a history over an account.

use std::fs;

use super::execute::Player;
use super::history::{AccountCommand, AccountRun};
use super::lineage::Writer;
use super::repository::Repository;
use super::world::{AccountWorld, Owner};
use crate::process::Ended;
use crate::proxy::Event;

const LOCK: &str = "links.lock";

impl Player<'_> {
    pub(super) fn share(&mut self, from: usize) {
        let path = |nth: usize| self.machines[nth].directory.join("work").join(LOCK);
        let to = 1 - from;
        if fs::copy(path(from), path(to)).is_err() {
            return;
        }
        if self.memory.up_to_date.contains(&from) && !self.unrecorded[from] {
            self.memory.up_to_date.insert(to);
        } else {
            self.memory.up_to_date.remove(&to);
        }
    }

    /// Records what is known of the machines after a command. Returns who has sent its requests.
    pub(super) fn record(
        &mut self,
        run: &AccountRun,
        ended: &Ended,
        events: &[Event<AccountWorld>],
    ) -> Writer {
        self.tally.count_command(run.command.name(), ended);
        self.runs += 1;
        let other = 1 - run.machine;
        let has_written =
            events.iter().any(|it| it.machine == Some(run.machine) && it.has_changed());
        let is_recorded = ended.exit == Some(0);
        let flags = match run.command {
            AccountCommand::Apply(flags) => flags,
            AccountCommand::Pull(nth) => {
                self.memory.up_to_date.remove(&other);
                self.note_pull(run.machine, nth, is_recorded);
                return Writer::Other;
            }
            AccountCommand::PullPages => return self.note_pull_of_pages(run.machine, is_recorded),
            AccountCommand::Undo(_) | AccountCommand::Redo(_) => {
                if has_written {
                    self.memory.up_to_date.remove(&other);
                }
                return Writer::Other;
            }
            AccountCommand::Plan(_) => return Writer::Other,
        };
        if has_written || is_recorded {
            self.memory.up_to_date.remove(&other);
        }
        if is_recorded {
            self.unrecorded[run.machine] = flags.locked;
        } else if has_written {
            self.unrecorded[run.machine] = true;
        }
        if is_recorded && self.memory.up_to_date.contains(&run.machine) {
            let (files, world) = (&self.files[run.machine], self.proxy.world());
            self.memory.note_sync(self.runs, files, &world, !flags.locked, flags.locked);
        }
        if is_recorded && !flags.locked { Writer::Recorded(self.runs) } else { Writer::Unrecorded }
    }

    /// Notes a pull of a form. One that found a conflict has shown and recorded what others changed; the person keeps the file as it was.
    fn note_pull(&mut self, machine: usize, nth: usize, is_good: bool) {
        let names: Vec<String> = self.files[machine].forms.keys().cloned().collect();
        let name = &names[nth % names.len()];
        if is_good {
            let work = self.machines[machine].directory.join("work");
            self.files[machine].read_form(&work, name);
            // The pull records what file and form have in common.
            let (world, said) = (self.proxy.world(), self.files[machine].clone());
            let (stored, said) = (world.values(), said.values(&world));
            for place in Repository::places_of_form(name, &world) {
                if let Some(value) =
                    stored.get(&place).filter(|value| said.get(&place) == Some(value))
                {
                    if let Some(team) = &mut self.team {
                        team.note_known(machine, place.clone(), value.clone());
                    }
                    self.memory.synced.insert(place, value.clone());
                }
            }
            if self.team.is_none() {
                self.files[1 - machine] = self.files[machine].clone();
            }
            return;
        }
        let world = self.proxy.world();
        let mut stored = world.values();
        for place in Repository::places_of_form(name, &world) {
            self.memory.foreign.remove(&place);
            let Some(value) = stored.remove(&place) else { continue };
            if let Some(team) = &mut self.team {
                team.note_pulled(machine, place, value);
            } else {
                self.memory.synced.insert(place, value);
            }
        }
    }

    /// Notes a pull of all pages. Of one that did not end, or found conflicts, it is not known what it has recorded.
    fn note_pull_of_pages(&mut self, machine: usize, is_good: bool) -> Writer {
        let work = self.machines[machine].directory.join("work");
        self.files[machine].read_pages(&work);
        if self.team.is_none() {
            self.files[1 - machine] = self.files[machine].clone();
        }
        self.memory.up_to_date.remove(&(1 - machine));
        let world = self.proxy.world();
        if let Some(team) = &mut self.team {
            team.note_files(machine, &self.files[machine], &world);
        }
        if !is_good {
            self.memory.up_to_date.remove(&machine);
            let stored = world.values().into_iter();
            for (place, value) in stored.filter(|((owner, ..), _)| matches!(owner, Owner::Page(_)))
            {
                if let Some(team) = &mut self.team {
                    team.note_pulled(machine, place, value);
                } else {
                    self.memory.unclear.insert(place);
                }
            }
            return Writer::Other;
        }
        if self.memory.up_to_date.contains(&machine) {
            self.memory.note_sync(self.runs, &self.files[machine], &world, false, false);
        }
        Writer::Recorded(self.runs)
    }

    pub(super) fn note(&mut self, events: &[Event<AccountWorld>], writers: [Writer; 2]) {
        for event in events {
            let writer = event.machine.map_or(Writer::Other, |machine| writers[machine]);
            self.memory.note(None, event, writer == Writer::Other);
            let apply = event.machine.filter(|_| writer != Writer::Other);
            if let Some(machine) = apply {
                let files = &self.files[machine];
                match &mut self.team {
                    Some(team) => team.note_written((machine, self.runs), event, files),
                    None => self.memory.bound.note_written(self.runs, event, files),
                }
            }
            if let Some(team) = &mut self.team {
                let lineage = event.machine.map(|machine| team.lineage(machine));
                let files = event.machine.map(|machine| &self.files[machine]);
                team.authors.note(event, writer, lineage.as_ref().zip(files));
            }
        }
        self.tally.count_events(events);
        self.memory.end_step(&self.files[0], &self.proxy.world());
    }

    /// Notes the files of a command that has ended, and what it has recorded of them.
    pub(super) fn note_files(&mut self, machine: usize, command: AccountCommand, writer: Writer) {
        let files = &self.files[machine];
        self.memory.note_files(files);
        if let (Some(team), Writer::Recorded(sync)) = (&mut self.team, writer) {
            let has_forms = !matches!(command, AccountCommand::PullPages);
            team.note_sync((machine, sync), files, &self.proxy.world(), has_forms);
        }
    }
}
