import { z } from 'zod';
import { type AppAccess, type AppFaults, noFaults, upload } from '../../../sandbox/phone/app.ts';
import { phoneDays } from '../../../sandbox/phone/days.ts';
import { randomOf } from '../../../sandbox/simulation/random.ts';
import { newUser, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Disturbance, Forgery } from '../scenarios.ts';
import { servedCounts, servedStarts } from '../served.ts';

const dayMs = 86_400_000;
const dialect = 'apple';
const chunk = 100;
/** The data of days long ago, so that no part of it lies ahead. */
const daysAgo = 40;

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
type Tokens = z.infer<typeof Tokens>;

/** An app with its tokens and the days that it uploaded. */
interface App {
  tokens: Tokens;
  days: number;
  readonly startMs: number;
}

const apps = new WeakMap<Account, App>();

function appOf(account: Account): App {
  const app = apps.get(account);
  if (app === undefined) throw new Error('the app is not installed');
  return app;
}

async function connect(product: Product): Promise<Account> {
  const userId = await newUser(product);
  const answer = await product.api.ask(`/api/v1/users/${userId}/token`, {
    ...{ method: 'POST', token: product.api.developerToken },
  });
  const account = { userId, person: 0, fromMs: 0, without: [] };
  const startMs = (Math.floor(Date.now() / dayMs) - daysAgo) * dayMs;
  apps.set(account, { tokens: Tokens.parse(answer.body), days: 0, startMs });
  await newData(product, account);
  return account;
}

function accessOf(product: Product, account: Account): AppAccess {
  const app = appOf(account);
  const random = randomOf(`${account.userId} ${app.days}`);
  return {
    ...{ origins: [product.api.url], userId: account.userId, fetch },
    headers: () => ({ authorization: app.tokens.access_token }),
    renew: () => renew(product, app),
    random: () => random.between(0, 1),
    signal: AbortSignal.timeout(300_000),
  };
}

async function renew({ api }: Product, app: App): Promise<boolean> {
  const body = { refresh_token: app.tokens.refresh_token };
  const answer = await api.ask('/api/v1/token/refresh', { body });
  if (answer.status !== 200) return false;
  app.tokens = Tokens.parse(answer.body);
  return true;
}

function dataOf({ startMs }: Pick<App, 'startMs'>, fromDay: number, days: number) {
  return phoneDays({ seed: `day ${fromDay}`, startMs: startMs + fromDay * dayMs, days });
}

/** The app uploads the following day. */
async function uploadDay(product: Product, account: Account, faults: AppFaults) {
  const app = appOf(account);
  const { data } = dataOf(app, app.days, 1);
  app.days += 1;
  const report = await upload(accessOf(product, account), dialect, data, { chunk, faults });
  if (report.skipped > 0 || report.setAside > 0) throw new Error(JSON.stringify(report));
  await settled(product);
  return report;
}

async function newData(product: Product, account: Account): Promise<void> {
  await uploadDay(product, account, noFaults);
}

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

function genuine({ api }: Product, account: Account) {
  const { tokens, startMs } = appOf(account);
  const { data } = dataOf({ startMs }, daysAgo - 5, 1);
  return {
    url: new URL(`${api.url}/api/v1/sdk/users/${account.userId}/sync`),
    headers: { 'Content-Type': 'application/json', Authorization: tokens.access_token },
    body: JSON.stringify({ provider: dialect, sdkVersion: '0.11.1', data }),
  };
}

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
      const name = seriesOf[type.replace('HKQuantityTypeIdentifier', '')] ?? type;
      samples[name] = (samples[name] ?? 0) + 1;
    }
  const lengthOf = async (what: 'workouts' | 'sleep') =>
    (await servedStarts(product, userId, 0, what)).length;
  return {
    want: { samples, workouts: app.days, nights: app.days },
    have: {
      samples: await servedCounts(product, userId, 0, Object.values(seriesOf)),
      workouts: await lengthOf('workouts'),
      nights: await lengthOf('sleep'),
    },
  };
}

const noRequests = 'The product sends no requests to phones.';

/** Phones, whose app uploads the health store of its user. */
export const phone: Descriptor = {
  ...{ connect, newData, compare, genuine },
  scenarios: {
    forged: { requests: forgeries, mostReads: 0 },
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
};
