import t from 'tap';
import type { DeliveryState } from '../../../mixins/inbox/delivery.ts';
import { problemOf } from '../../../services/api-gateway/work/receive-delivery.ts';

type Look = () => Promise<DeliveryState | null>;

/** Answers of the database in turn, the last one again and again. */
function looking(...found: (DeliveryState['state'] | null | Error)[]): { looks: number; stateOf: Look } {
  const seen = {
    looks: 0,
    async stateOf() {
      const state = found[Math.min(seen.looks, found.length - 1)] ?? null;
      seen.looks += 1;
      if (state instanceof Error) throw state;
      return state === null ? null : { state, answer: {} };
    },
  };
  return seen;
}

const never = () => new Promise<never>(() => undefined);

for (const state of ['done', 'dead'] as const)
  t.test(`an answer that is lost does not hold up one about a delivery that is ${state}`, async (t) => {
    const inbox = looking(new Error('away'), null, 'working', state);
    t.equal(await problemOf(inbox, 'x', never, 1), null);
    t.equal(inbox.looks, 4);
  });

t.test('a call that is lost is repeated, and made three times at most', async (t) => {
  const calls: number[] = [];
  const inbox = looking('ready', 'ready', 'ready', 'ready', 'working', 'done');
  const lost = () => {
    calls.push(inbox.looks);
    return never();
  };
  t.equal(await problemOf(inbox, 'x', lost, 1), null);
  t.strictSame(calls, [0, 1, 2]);
});

t.test('the error of a repeated call is kept', async (t) => {
  const error = new Error('no');
  const works = [never, () => Promise.reject(error)];
  t.equal(await problemOf(looking('ready'), 'x', () => (works.shift() ?? never)(), 1), error);
});

t.test('a repeated call that finds the delivery taken does not end the wait', async (t) => {
  const inbox = looking('ready', 'working', 'working', 'done');
  const works = [never(), Promise.resolve({ done: false })];
  t.equal(await problemOf(inbox, 'x', () => works.shift() ?? never(), 1), null);
  t.equal(inbox.looks, 4);
});

t.test('work that lasts is waited for, and its error is kept', async (t) => {
  const inbox = looking('working');
  const { promise, reject } = Promise.withResolvers<unknown>();
  const problem = problemOf(inbox, 'x', () => promise, 1);
  while (inbox.looks < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  const error = new Error('no');
  reject(error);
  t.equal(await problem, error);
  const { looks } = inbox;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.ok(inbox.looks <= looks + 1, 'nothing is asked any more');
});
