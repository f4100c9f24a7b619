import t, { type Test } from 'tap';
import { awakeTimeout } from '../../mixins/provider-api/provider-api.ts';

const limitMs = 10_000;

/** A limit on a clock that the test moves. `pass` lets the timer tick once after a time. */
function onClock(t: Test) {
  let nowMs = 0;
  let tick = () => {};
  t.intercept(performance, 'now', { value: () => nowMs });
  t.intercept(globalThis, 'setInterval', {
    value(work: () => void) {
      tick = work;
      return { unref: () => {} };
    },
  });
  const { signal } = awakeTimeout(limitMs);
  return {
    signal,
    pass(ms: number) {
      nowMs += ms;
      tick();
    },
  };
}

t.test('a limit passes after the time in which the process ran', async (t) => {
  const { signal, pass } = onClock(t);
  for (let spent = 500; spent < limitMs; spent += 500) pass(500);
  t.notOk(signal.aborted);
  pass(500);
  t.match(signal.reason, { name: 'TimeoutError' });
});

t.test('a pause of the machine counts as a second, and a limit never passes at its end', async (t) => {
  const { signal, pass } = onClock(t);
  pass(500);
  pass(3_600_000);
  for (let spent = 2000; spent < limitMs; spent += 500) pass(500);
  t.notOk(signal.aborted, 'a time-out of an hour ago would end it');
  pass(3_600_000);
  t.notOk(signal.aborted, 'an answer that arrived meanwhile is read first');
  pass(500);
  t.ok(signal.aborted);
});
