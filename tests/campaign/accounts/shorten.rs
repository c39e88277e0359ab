//! Shorter histories over an account, to find out what a violation needs.

use super::history::{AccountHistory, AccountRun, AccountStep, GitAction};

impl AccountHistory {
    /// Returns histories with a part left out, those with a large part first.
    pub(crate) fn candidates(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut push = |change: &dyn Fn(&mut Self)| {
            let mut shorter = self.clone();
            change(&mut shorter);
            all.push(shorter);
        };
        push(&|it| it.choices = 0);
        push(&|it| it.has_git = false);
        push(&|it| it.is_composed = false);
        for nth in (0..self.account_steps.len()).rev() {
            push(&|it| drop(it.account_steps.remove(nth)));
        }
        for (nth, step) in self.account_steps.iter().enumerate() {
            match step {
                AccountStep::Run(run) => {
                    for shorter in shorter_runs(run) {
                        push(&|it| it.account_steps[nth] = AccountStep::Run(shorter.clone()));
                    }
                }
                AccountStep::Change(changes) => {
                    for at in 0..changes.len() {
                        push(&|history| {
                            if let AccountStep::Change(changes) = &mut history.account_steps[nth] {
                                changes.remove(at);
                            }
                        });
                    }
                }
                AccountStep::Git(machine, GitAction::Change(changes)) => {
                    for at in 0..changes.len() {
                        let mut fewer = changes.clone();
                        fewer.remove(at);
                        let action = GitAction::Change(fewer);
                        push(&|history| {
                            history.account_steps[nth] = AccountStep::Git(*machine, action.clone());
                        });
                    }
                }
                AccountStep::Both(one, other) => {
                    for shorter in [one, other] {
                        push(&|it| it.account_steps[nth] = AccountStep::Run(shorter.clone()));
                    }
                }
                _ => {}
            }
        }
        for page in 0..self.pages.len() {
            for nth in (0..self.pages[page].len()).rev() {
                push(&|it| drop(it.pages[page].remove(nth)));
            }
        }
        all
    }
}

fn shorter_runs(run: &AccountRun) -> Vec<AccountRun> {
    let mut all = vec![
        AccountRun { kill: None, ..run.clone() },
        AccountRun { faults: Vec::new(), ..run.clone() },
        AccountRun { edits: Vec::new(), ..run.clone() },
    ];
    for at in 0..run.faults.len() {
        let mut shorter = run.clone();
        shorter.faults.remove(at);
        all.push(shorter);
    }
    for at in 0..run.edits.len() {
        let mut shorter = run.clone();
        shorter.edits.remove(at);
        all.push(shorter);
    }
    all
}
