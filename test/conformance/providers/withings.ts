import { z } from 'zod';
import { until } from '../../support/until.ts';
import { queueWork, underErrors, underExpiry, underFault, underLimit } from '../plays.ts';
import { accountIdOf, control, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Forgery } from '../scenarios.ts';
import { servedCounts, servedStarts, servedSteps, startsOf } from '../served.ts';
import { pulledPlaying, sweep } from './pulled.ts';
import { accountAt, connectTo, postOf } from './simulated.ts';

const provider = 'withings';
const minuteMs = 60_000;
const people = 6;
const playing = pulledPlaying(provider);

const Shown = z.object({ subscriptions: z.int() });
const subscriptionsOf = (product: Product, account: Account) =>
  Shown.parse(accountAt(product, provider, account).shown).subscriptions;
const categories = (without: readonly string[]) => (without.includes('user.activity') ? 4 : 6);

const upkeepIsDue = `
  update jobs.job set run_at = now()
  where kind in ('pull-ingest.connections', 'pull-ingest.accounts') and not leased`;

async function connect(product: Product, person: number, without: readonly string[]): Promise<Account> {
  const account = await connectTo(product, provider, people + people * person, without);
  const { database } = product.api;
  await until(async () => {
    await database.query(upkeepIsDue);
    return subscriptionsOf(product, account) === categories(without);
  });
  await settled(product);
  return account;
}

async function genuine(product: Product, { userId }: Account) {
  const userid = Number(await accountIdOf(product, userId));
  const endMs = product.sandbox.world.clock.nowMs();
  const seconds = (ms: number) => String(Math.floor(ms / 1000));
  const span = { startdate: seconds(endMs - 60 * minuteMs), enddate: seconds(endMs) };
  const fields = { userid: String(userid), appli: '16', ...span };
  return postOf(product, provider, { kind: 'withings', ...{ userid, fields } });
}

// Nothing is signed: the secret address alone shows that a notification is the provider's.
async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const { url, ...post } = await genuine(product, account);
  const wrong = new URL(url.href.replace(/[^/]+$/, 'x'.repeat(40)));
  return [{ title: 'a wrong secret in the address', post: { ...post, url: wrong }, status: 404 }];
}

const Ledger = z.object({
  days: z.array(z.object({ date: z.string(), steps: z.int() })),
  workouts: z.array(z.object({ start_time: z.string() })),
  nights: z.array(z.object({ start_time: z.string() })),
  steps: z.array(z.tuple([z.int(), z.int()])),
  series: z.array(z.object({ type: z.string(), samples: z.int() })),
});

async function compare(product: Product, account: Account): Promise<Comparison> {
  const { userId, person, fromMs, without } = account;
  const path = `/ledger/withings?person=${person}&from_ms=${fromMs}`;
  const ledger = Ledger.parse(await control(product, 'GET', path));
  const isActive = !without.includes('user.activity');
  const samples: Record<string, number> = isActive ? { steps: ledger.steps.length } : {};
  for (const { type, samples: count } of ledger.series)
    if (isActive || type !== 'heart_rate') samples[type] = (samples[type] ?? 0) + count;
  const days = isActive ? ledger.days : [];
  const types = ['steps', 'weight', 'heart_rate', 'body_fat_percentage', 'blood_pressure_systolic'];
  const dates = days.map(({ date }) => date);
  const starts = (rows: readonly { start_time: string }[]) =>
    startsOf(isActive ? rows.map((row) => row.start_time) : [], fromMs);
  return {
    want: {
      samples: Object.fromEntries(
        Object.entries(samples).filter(([type, count]) => types.includes(type) && count > 0),
      ),
      workouts: starts(ledger.workouts),
      nights: starts(ledger.nights),
      days: days.map(({ date, steps }) => `${date} ${steps}`).sort(),
    },
    have: {
      samples: await servedCounts(product, userId, fromMs, types),
      workouts: await servedStarts(product, userId, fromMs, 'workouts'),
      nights: await servedStarts(product, userId, fromMs, 'sleep'),
      days: await servedSteps(product, userId, dates),
    },
  };
}

/** A maker of scales with unsigned notifications per category, cursors, and refresh tokens that rotate. */
export const withings: Descriptor = {
  ...{ connect, newData: playing.newData, compare, genuine },
  scenarios: {
    forged: forgeries,
    duplicate: underFault(playing, { kind: 'duplicate' }),
    lost: underFault(playing, { kind: 'dropped', repair: sweep }),
    outOfOrder: underFault(playing, { kind: 'disorder', spreadSeconds: 900 }),
    late: underFault(playing, { kind: 'disorder', spreadSeconds: 7200 }),
    rotatedTokens: underExpiry(playing, 2),
    expiredTokens: underExpiry(playing, 1),
    rateLimit: underLimit(playing, 24),
    serverErrors: underErrors(playing),
    partialScopes: { without: ['user.activity'], tooLittle: ['user.activity', 'user.metrics'] },
    endedAtProvider: {
      status: 'expired',
      async end(product, { person }) {
        await control(product, 'POST', `/people/${person}/withings/unlink`);
        await product.sandbox.advance(minuteMs);
        await settled(product);
      },
    },
    endedInProduct: { isEnded: (product, account) => subscriptionsOf(product, account) === 0 },
    erasure: { queue: queueWork(playing) },
  },
};
