use crate::{Source, Switch};

impl dyn Source + '_ {
    /// [`Source::leave_out`] for work that answers something.
    pub fn left_out<T>(&self, work: impl FnOnce() -> T) -> T {
        answer_of(|work| self.leave_out(work), work)
    }
}

impl dyn Switch + '_ {
    /// [`Switch::leave_out`] for work that answers something.
    pub fn left_out<T>(&self, work: impl FnOnce() -> T) -> T {
        answer_of(|work| self.leave_out(work), work)
    }
}

fn answer_of<T>(leave_out: impl FnOnce(&mut dyn FnMut()), work: impl FnOnce() -> T) -> T {
    let (mut work, mut answer) = (Some(work), None);
    leave_out(&mut || {
        if let Some(work) = work.take() {
            answer = Some(work());
        }
    });
    match (answer, work) {
        (Some(answer), _) => answer,
        // A source that has no way to leave it out.
        (None, Some(work)) => work(),
        (None, None) => unreachable!("work that was done has an answer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_however_often_it_is_called() {
        for calls in 0..3 {
            let mut done = 0;
            let answer = answer_of(
                |work| (0..calls).for_each(|_| work()),
                || {
                    done += 1;
                    7
                },
            );
            assert_eq!((done, answer), (1, 7));
        }
    }
}
