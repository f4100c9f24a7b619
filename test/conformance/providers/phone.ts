import { z } from 'zod';
import { type AppFaults, noFaults, upload } from '../../../sandbox/phone/app.ts';
import { type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Disturbance, Forgery } from '../scenarios.ts';
import { servedCounts, servedStarts, servedValues, sortedValues } from '../served.ts';
import {
  type App,
  accessOf,
  appOf,
  chunk,
  connect,
  dataOf,
  dialect,
  genuine,
  newData,
  uploadDay,
} from './phone-app.ts';
import { damaged, deleted, inParallel, interrupted, revoked, selection } from './phone-troubles.ts';

const underFaults = (
  faults: Partial<AppFaults>,
  struck: (report: { sent: number; again: number }) => number,
): Disturbance => ({
  play: async (product, account) => struck(await uploadDay(product, account, { ...noFaults, ...faults })),
});

const mostDays = 20;

// An answer is lost if it comes after a random time of at most 60 ms: a fast server may answer all of a day before it.
const underLostAnswers: Disturbance = {
  async play(product, account) {
    let again = 0;
    for (let day = 0; day < mostDays && again === 0; day++)
      again += (await uploadDay(product, account, { ...noFaults, lostAnswers: 1 })).again;
    return again;
  },
};

// The app has a token that has expired, `times` times; it renews the pair, which replaces the refresh token.
const underExpiry = (times: number): Disturbance => ({
  async play(product, account) {
    let renewed = 0;
    for (let time = 0; time < times; time++) {
      const app = appOf(account);
      const before = app.tokens;
      app.tokens = { ...before, access_token: 'expired' };
      await newData(product, account);
      if (app.tokens.refresh_token !== before.refresh_token) renewed += 1;
    }
    return renewed;
  },
});

async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const post = genuine(product, account);
  const { Authorization: token, ...rest } = post.headers;
  const other = genuine(product, await connect(product));
  const refused = (title: string, headers: Record<string, string>, status = 401): Forgery => ({
    ...{ title, status, post: { ...post, headers: { ...rest, ...headers } } },
  });
  return [
    refused('no token', {}),
    refused('a changed token', { Authorization: `${token.slice(0, -3)}xyz` }),
    refused('an API key that does not exist', { 'X-Open-Wearables-API-Key': 'sk-unknown' }),
    refused('the token of another user', { Authorization: other.headers.Authorization }, 403),
  ];
}

const seriesOf: Readonly<Record<string, string>> = {
  HeartRate: 'heart_rate',
  StepCount: 'steps',
  DistanceWalkingRunning: 'distance_walking_running',
  ActiveEnergyBurned: 'energy',
  BodyMass: 'weight',
  BodyFatPercentage: 'body_fat_percentage',
};
const Named = z.object({ type: z.string() });

async function compare(product: Product, account: Account): Promise<Comparison> {
  const { userId } = account;
  const app = appOf(account);
  const samples: Record<string, number> = {};
  for (let day = 0; day < app.days; day++)
    for (const record of dataOf(app, day, 1).data.records) {
      const { type } = Named.parse(record);
      if (app.left.has(record.id)) continue;
      const name = seriesOf[type.replace('HKQuantityTypeIdentifier', '')] ?? type;
      samples[name] = (samples[name] ?? 0) + 1;
    }
  const lengthOf = async (what: 'workouts' | 'sleep') =>
    (await servedStarts(product, userId, 0, what)).length;
  return {
    want: { samples, fat: fatOf(app), workouts: app.days, nights: app.days },
    have: {
      samples: await servedCounts(product, userId, 0, Object.values(seriesOf)),
      fat: await servedValues(product, userId, 0, 'body_fat_percentage'),
      workouts: await lengthOf('workouts'),
      nights: await lengthOf('sleep'),
    },
  };
}

/** The body fat of the uploaded days in percent, which phones send as a share. */
function fatOf(app: App): number[] {
  const days = Array.from({ length: app.days }, (_, day) => dataOf(app, day, 1).data.records);
  const shares = days
    .flat()
    .filter(({ id, type }) => /BodyFatPercentage$/.test(String(type)) && !app.left.has(id));
  return sortedValues(shares.map(({ value }) => 100 * Number(value)));
}

const noRequests = 'The product sends no requests to phones.';

/** Phones, whose app uploads the health store of its user. */
export const phone: Descriptor = {
  ...{ connect, newData, compare, genuine },
  scenarios: {
    forged: forgeries,
    duplicate: underFaults({ repeated: 1 }, ({ sent }) => sent),
    // The app does not learn that a chunk was stored, and sends it again.
    lost: underLostAnswers,
    outOfOrder: underFaults({ unordered: true }, ({ sent }) => sent),
    late: {
      async play(product, account) {
        const app = appOf(account);
        const days = [app.days + 1, app.days];
        // The later of two days is uploaded first.
        for (const day of days)
          await upload(accessOf(product, account), dialect, dataOf(app, day, 1).data, { chunk });
        app.days += days.length;
        await settled(product);
        return days.length;
      },
    },
    rotatedTokens: underExpiry(2),
    expiredTokens: underExpiry(1),
    rateLimit: { doesNotApply: noRequests },
    serverErrors: { doesNotApply: noRequests },
    partialScopes: {
      doesNotApply: 'The phone leaves out what its user does not share; the product sees no scope.',
    },
    endedAtProvider: { doesNotApply: 'An app that is removed sends nothing more, and no message of it.' },
    endedInProduct: { isEnded: () => true },
    erasure: { queue: newData },
  },
  more: {
    damaged: { play: damaged },
    parallel: { play: inParallel },
    interrupted: { play: interrupted },
    revoked: { play: revoked },
    deleted: { play: deleted },
    selection: { play: selection },
  },
};
