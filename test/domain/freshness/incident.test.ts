import t, { type Test } from 'tap';
import { atLeast, isFailing, isIncident, usualShare } from '../../../domain/freshness/incident.ts';

const near = (t: Test, found: number, wanted: number) =>
  t.ok(Math.abs(found - wanted) <= 1e-12 * Math.max(1e-3, Math.abs(wanted)) + 1e-15, `${found} is ${wanted}`);

t.test('the binomial tail is exact', async (t) => {
  // By hand: of 10 tries with p = 1/2 at least 8 are (45 + 10 + 1) / 1024.
  near(t, atLeast(8, 10, 0.5), 56 / 1024);
  near(t, atLeast(1, 5, 0.1), 1 - 0.9 ** 5);
  near(t, atLeast(5, 5, 0.1), 1e-5);
  t.equal(atLeast(0, 5, 0.1), 1);
  t.equal(atLeast(3, 5, 0), 0);
  t.equal(atLeast(3, 5, 1), 1);
  t.ok(atLeast(400, 100_000, 0.003) < 1e-6);
  t.ok(atLeast(300, 100_000, 0.003) > 0.4);
});

t.test('an incident is far above the usual', async (t) => {
  const usual = usualShare([{ turned: 10, connections: 10_000 }]);
  t.equal(usual, 11 / 10_100);
  t.notOk(isIncident({ turned: 3, connections: 1000 }, usual));
  t.ok(isIncident({ turned: 12, connections: 1000 }, usual));
  t.notOk(isIncident({ turned: 19, connections: 19 }, usual), 'of 20 connections at least');
  t.ok(isIncident({ turned: 20, connections: 20 }, usual));
  t.notOk(isIncident({ turned: 4, connections: 20 }, usual), 'of five that turn late at least');
  t.equal(usualShare([]), 0.01);
});

t.test('a provider fails if both halves of ten minutes do', async (t) => {
  const minute = (minutes_ago: number, requests: number, failed: number) => ({
    minutes_ago,
    requests,
    failed,
  });
  t.equal(isFailing([minute(1, 20, 15), minute(8, 20, 15)]), true);
  t.equal(isFailing([minute(1, 20, 15)]), null, 'for a few minutes only, or again after a pause');
  t.equal(isFailing([minute(1, 20, 15), minute(8, 20, 5)]), null, 'it begins to fail');
  t.equal(isFailing([minute(1, 20, 9), minute(8, 20, 20)]), false, 'it answers again');
  t.equal(isFailing([minute(8, 20, 20)]), null, 'nothing was sent since');
  t.equal(isFailing([minute(1, 2, 2), minute(8, 1, 1)]), null, 'too few');
  t.equal(isFailing([]), null);
  t.equal(isFailing([minute(1, 20, 10), minute(8, 20, 20)]), false, 'half is not more than half');
});
