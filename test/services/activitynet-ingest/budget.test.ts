import t from 'tap';
import { reportedLimits } from '../../../providers/activitynet/reported-limits.ts';
import {
  type QuotaReservation,
  quotaOn,
  type ReadQuota,
  repairRoom,
  type Work,
} from '../../../services/activitynet-ingest/tables/budget.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;

let applications = 0;

/** A budget of its own, whose clock stands near an instant of 2026-04-20 and is turned by the test. */
async function quotaAt(time: string, limits = { quarterLimit: 10, dayLimit: 30 }) {
  applications += 1;
  const clock = { ahead: 0 };
  const turnTo = (text: string) => {
    clock.ahead = Date.parse(text) - Date.now();
  };
  turnTo(`2026-04-20T${time}Z`);
  const application = `app-${applications}`;
  const choice = {
    application,
    ...limits,
    aheadMs: () => clock.ahead,
  };
  const quota = await quotaOn(database, choice);
  const another = () => quotaOn(database, choice);
  const row = async () =>
    (await database.query('select * from activitynet.budget where application = $1', [application]))[0];
  return { quota, another, turnTo, row, clock };
}

async function drain(quota: ReadQuota, work: Work = 'live'): Promise<number> {
  let n = 0;
  while ((await quota.reserve(1, work)) !== null) n += 1;
  return n;
}

async function reserved(quota: ReadQuota): Promise<QuotaReservation> {
  const reservation = await quota.reserve(1, 'live');
  if (reservation === null) throw new Error('nothing was left');
  return reservation;
}

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
  unsent: false,
});

t.test('both windows are charged, or neither', async (t) => {
  const { quota, turnTo } = await quotaAt('10:05:00', { quarterLimit: 10, dayLimit: 13 });
  t.equal(await drain(quota), 10);
  t.match(await quota.room(), { live: 0, quarter_used: 10, day_used: 10 });
  turnTo('2026-04-20T10:20:00Z');
  t.equal(await quota.reserve(4, 'live'), null, 'the day has three left');
  t.match(await quota.room(), { live: 3, quarter_used: 0, day_used: 10 });
  t.equal(await drain(quota), 3);
  turnTo('2026-04-20T23:50:00Z');
  t.equal(await drain(quota), 0);
  turnTo('2026-04-21T00:00:30Z');
  t.equal(await drain(quota), 10, 'the day begins at midnight UTC');
});

t.test('the quarter hour turns on the quarter', async (t) => {
  const { quota, turnTo } = await quotaAt('10:14:50');
  t.equal(await drain(quota), 10);
  turnTo('2026-04-20T10:15:05Z');
  t.equal(await drain(quota), 10);
});

t.test('nothing is charged within two seconds of the turn of a window, although all is left', async (t) => {
  for (const [time, left] of [
    ['10:14:57.5', 10],
    ['10:14:59', 0],
    ['10:15:01', 0],
    ['10:15:02.5', 10],
    ['23:59:59', 0],
  ] as const) {
    const { quota } = await quotaAt(time);
    t.match(await quota.room(), { live: left }, time);
    t.equal(await drain(quota), left, time);
  }
});

t.test('many processes at once never charge more than there is', async (t) => {
  const { another } = await quotaAt('11:05:00', { quarterLimit: 50, dayLimit: 1000 });
  const quotas = await Promise.all(Array.from({ length: 5 }, another));
  const reservations = await Promise.all(
    Array.from({ length: 200 }, (_, n) => quotas[n % 5]?.reserve(1, 'live') ?? null),
  );
  t.equal(reservations.filter((reservation) => reservation !== null).length, 50);
});

t.test('it survives a restart', async (t) => {
  const { quota, another } = await quotaAt('11:05:00');
  await quota.reserve(7, 'live');
  t.match(await (await another()).room(), { live: 3, day_used: 7 });
});

t.test('history leaves half of a quarter hour to live work, whoever used the rest', async (t) => {
  const { quota } = await quotaAt('00:01:00', { quarterLimit: 10, dayLimit: 1000 });
  t.match(await quota.room(), { live: 10, backfill: 5 });
  t.equal(await drain(quota, 'backfill'), 5);
  t.match(await quota.room(), { live: 5, backfill: 0 });
  t.equal(await quota.reserve(1, 'backfill'), null);
  t.equal(await drain(quota), 5);
});

t.test("history's share of the day grows as the day goes by", async (t) => {
  const { quota, turnTo } = await quotaAt('00:00:10', { quarterLimit: 1000, dayLimit: 1000 });
  t.equal(await drain(quota, 'backfill'), 500);
  turnTo('2026-04-20T12:00:10Z');
  t.equal(await drain(quota, 'backfill'), 250);
  turnTo('2026-04-20T23:50:00Z');
  t.equal(await drain(quota, 'backfill'), 246);
  t.equal(await drain(quota), 4);
});

t.test('repair never takes the last fifth of a window, however late it is', async (t) => {
  const { quota, turnTo } = await quotaAt('00:00:10', { quarterLimit: 1000, dayLimit: 1000 });
  t.equal(repairRoom(await quota.room()), 500);
  t.equal(await drain(quota, 'repair'), 500);
  turnTo('2026-04-20T23:50:00Z');
  t.match(await quota.room(), { backfill: 496, day_used: 500 });
  t.equal(repairRoom(await quota.room()), 300);
  t.equal(await drain(quota, 'repair'), 300);
  t.equal(repairRoom(await quota.room()), 0);
  t.equal(await drain(quota, 'backfill'), 196);
  t.equal(await quota.reserve(1, 'repair'), null);
});

t.test('repair uses no more of a quarter hour than backfill', async (t) => {
  const { quota } = await quotaAt('23:50:00', { quarterLimit: 10, dayLimit: 1000 });
  t.equal(await drain(quota, 'repair'), 5);
  t.equal(repairRoom(await quota.room()), 0);
  t.equal(await drain(quota), 5);
});

t.test('an activity of history fits in the smallest budget', async (t) => {
  const { quota } = await quotaAt('10:05:00', { quarterLimit: 2, dayLimit: 2 });
  t.not(await quota.reserve(2, 'backfill'), null);
});

t.test('what was charged and not needed is given back, to its own windows only', async (t) => {
  const { quota, turnTo } = await quotaAt('10:05:00');
  const reservation = await quota.reserve(4, 'live');
  if (reservation === null) throw new Error('nothing was left');
  await quota.release(reservation, 3);
  t.match(await quota.room(), { quarter_used: 1, day_used: 1 });
  turnTo('2026-04-20T10:20:00Z');
  await quota.reserve(2, 'live');
  await quota.release(reservation, 1);
  t.match(await quota.room(), { quarter_used: 2, day_used: 2 });
});

t.test('a read that never reached the provider is given back; one that did is not', async (t) => {
  const { quota } = await quotaAt('10:05:00');
  await quota.settle(await reserved(quota), { status: 0, headers: new Headers(), unsent: true });
  t.match(await quota.room(), { quarter_used: 0, day_used: 0 });
  await quota.settle(await reserved(quota), answer(0));
  t.match(await quota.room(), { quarter_used: 1, day_used: 1 });
});

t.test('a read that is answered in another window is charged to that one too', async (t) => {
  const { quota, turnTo } = await quotaAt('10:14:50');
  const reservation = await reserved(quota);
  t.equal(await quota.holds(reservation), true);
  turnTo('2026-04-20T10:15:04Z');
  t.equal(await quota.holds(reservation), false);
  await quota.settle(reservation, answer(200));
  t.match(await quota.room(), { quarter_used: 1, day_used: 1 });
});

t.test("the provider's limits are obeyed, also where they are higher than the settings", async (t) => {
  const { quota } = await quotaAt('10:05:00');
  const reported = { 'X-ReadRateLimit-Limit': '200,2000', 'X-ReadRateLimit-Usage': '1,1' };
  await quota.settle(await reserved(quota), answer(200, reported));
  t.match(await quota.room(), { live: 199, quarter_limit: 200, day_limit: 2000 });
  await quota.settle(
    await reserved(quota),
    answer(200, { 'x-readratelimit-limit': '3,9', 'X-READRATELIMIT-USAGE': '2,2' }),
  );
  t.equal(await drain(quota), 1);
});

t.test('a limit of two reads is obeyed, and a smaller one is ignored', async (t) => {
  const { quota } = await quotaAt('10:05:00');
  const settleTold = async (limits: string) =>
    quota.settle(
      await reserved(quota),
      answer(200, { 'X-ReadRateLimit-Limit': limits, 'X-ReadRateLimit-Usage': '0,0' }),
    );
  await settleTold('2,12');
  t.match(await quota.room(), { quarter_limit: 2, day_limit: 12 });
  await settleTold('1,1');
  t.match(await quota.room(), { quarter_limit: 2, day_limit: 12 });
});

t.test('usage of others is seen, and left room for', async (t) => {
  const { quota, turnTo } = await quotaAt('10:05:00', { quarterLimit: 100, dayLimit: 1000 });
  const waiting = await quota.reserve(3, 'live');
  const reported = { 'X-ReadRateLimit-Limit': '100,1000', 'X-ReadRateLimit-Usage': '61,661' };
  await quota.settle(await reserved(quota), answer(200, reported));
  t.not(waiting, null);
  t.match(await quota.room(), { quarter_used: 64, day_used: 664, live: 36 }, '60 others, 4 of ours');
  turnTo('2026-04-20T10:20:00Z');
  t.match(await quota.room(), { quarter_used: 0, day_used: 664, live: 100 });
});

t.test('reads of ours that are still under way are not taken for those of others', async (t) => {
  const { quota } = await quotaAt('10:05:00', { quarterLimit: 100, dayLimit: 1000 });
  const reservations = await Promise.all(Array.from({ length: 8 }, () => reserved(quota)));
  for (const [n, reservation] of reservations.entries())
    await quota.settle(
      reservation,
      answer(200, {
        'X-ReadRateLimit-Limit': '100,1000',
        'X-ReadRateLimit-Usage': `${Math.min(8, n + 4)},8`,
      }),
    );
  t.match(await quota.room(), { quarter_used: 8, day_used: 8 });
});

t.test('a refusal means that the quarter hour is used up; one that names the day, the day', async (t) => {
  const { quota, turnTo } = await quotaAt('10:05:00');
  await quota.settle(await reserved(quota), answer(429));
  t.match(await quota.room(), { live: 0, day_used: 1 });
  turnTo('2026-04-20T10:20:00Z');
  t.match(await quota.room(), { live: 10 });
  await quota.settle(
    await reserved(quota),
    answer(429, { 'X-ReadRateLimit-Limit': '10,30', 'X-ReadRateLimit-Usage': '1,31' }),
  );
  turnTo('2026-04-20T10:35:00Z');
  t.match(await quota.room(), { live: 0 });
  turnTo('2026-04-21T00:05:00Z');
  t.match(await quota.room(), { live: 10 });
});

t.test('three failures in a row pause all; then one read at a time asks whether it is over', async (t) => {
  const { quota, clock, row } = await quotaAt('10:05:00', { quarterLimit: 100, dayLimit: 1000 });
  const reservations = await Promise.all(Array.from({ length: 6 }, () => reserved(quota)));
  for (const reservation of reservations) await quota.settle(reservation, answer(503));
  t.equal(await quota.reserve(1, 'live'), null);
  t.match(await row(), { failures: 3 }, 'those that were under way do not count on');
  clock.ahead += 1100;
  const probe = await reserved(quota);
  t.equal(await quota.reserve(1, 'live'), null, 'one at a time');
  await quota.settle(probe, answer(0));
  t.match(await row(), { failures: 4 });
  clock.ahead += 1100;
  t.equal(await quota.reserve(1, 'live'), null, 'twice as long');
  clock.ahead += 1000;
  await quota.settle(await reserved(quota), answer(404));
  t.match(await row(), { failures: 0, paused_until: null });
  t.not(await quota.reserve(1, 'live'), null);
});

t.test('an hour of failures costs few reads', async (t) => {
  const { quota, clock } = await quotaAt('10:05:00', { quarterLimit: 100, dayLimit: 1000 });
  let sent = 0;
  for (let seconds = 0; seconds < 3600; seconds += 1) {
    const reservation = await quota.reserve(1, 'live');
    if (reservation !== null) {
      sent += 1;
      await quota.settle(reservation, answer(500));
    }
    clock.ahead += 1000;
  }
  t.ok(sent < 30, `${sent} reads`);
});

t.test('reads headers in any case, the reads preferred, and nothing of broken ones', (t) => {
  const read = { quarter: { limit: 100, usage: 5 }, day: { limit: 1000, usage: 50 } };
  t.same(
    reportedLimits(new Headers({ 'x-READratelimit-limit': '100,1000', 'X-ReadRateLimit-Usage': '5, 50' })),
    {
      read,
      left: null,
    },
  );
  t.same(reportedLimits(new Headers({ 'X-RateLimit-Limit': '200,2000', 'X-RateLimit-Usage': '79,222' })), {
    read: null,
    left: { quarter: 121, day: 1778 },
  });
  for (const broken of ['', '100', 'a,b', '1,2,3', '-1,5', '1e3,2'])
    t.same(reportedLimits(new Headers({ 'X-RateLimit-Limit': broken, 'X-RateLimit-Usage': '1,1' })), {
      read: null,
      left: null,
    });
  t.end();
});

t.test('of the limit of all requests follows only that no more reads are left than that', async (t) => {
  const { quota } = await quotaAt('10:05:00', { quarterLimit: 100, dayLimit: 1000 });
  const reported = (limit: string, usage: string) =>
    answer(200, { 'X-RateLimit-Limit': limit, 'X-RateLimit-Usage': usage });
  await quota.settle(await reserved(quota), reported('200,2000', '1,1'));
  t.match(await quota.room(), { live: 99, quarter_limit: 100 });
  await quota.settle(await reserved(quota), reported('200,2000', '150,160'));
  t.match(await quota.room(), { live: 50 });
});

t.test('a clock that goes back finds the window as it was', async (t) => {
  const { quota, clock } = await quotaAt('10:20:00');
  await quota.reserve(6, 'live');
  clock.ahead -= quarterMs;
  t.equal(await drain(quota), 4);
  clock.ahead += hourMs;
  t.match(await quota.room(), { live: 10 });
});
