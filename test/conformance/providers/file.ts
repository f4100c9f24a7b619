import { importFile, sendFile } from '../../services/file-import/importing.ts';
import { userToken } from '../../support/api.ts';
import { newUser, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Forgery } from '../scenarios.ts';
import { servedCounts } from '../served.ts';

const dayMs = 86_400_000;
const hoursPerDay = 24;
/** The data of days long ago, so that no part of it lies ahead. */
const firstMs = (Math.floor(Date.now() / dayMs) - 60) * dayMs;
const days = new WeakMap<Account, number>();

/** A table with the heart rates and steps of the hours of a day. */
function tableOf(day: number): string {
  const lines = Array.from({ length: hoursPerDay }, (_, hour) => {
    const at = new Date(firstMs + day * dayMs + hour * 3_600_000).toISOString();
    return [`heart_rate,${at},${60 + hour},bpm,Chest strap`, `steps,${at},${10 * hour + 1},count,Pedometer`];
  });
  return ['type,timestamp,value,unit,source', ...lines.flat()].join('\n');
}

async function importDay(product: Product, { userId }: Account, day: number): Promise<void> {
  const { state, error } = await importFile(product.api, userId, tableOf(day));
  if (state !== 'done') throw new Error(`the import is ${state}: ${error}`);
  await settled(product);
}

/** The number of days is the next day that was not imported. */
function nextDay(account: Account, more = 1): number {
  const day = days.get(account) ?? 0;
  days.set(account, day + more);
  return day;
}

async function connect(product: Product): Promise<Account> {
  const account = { userId: await newUser(product), person: 0, fromMs: 0, without: [] };
  await importDay(product, account, nextDay(account));
  return account;
}

const newData = (product: Product, account: Account) => importDay(product, account, nextDay(account));

function genuine({ api }: Product, { userId }: Account) {
  return {
    url: new URL(`${api.url}/api/v1/users/${userId}/imports`),
    headers: { 'Content-Type': 'text/csv', 'X-API-Key': api.apiKey },
    body: tableOf(40),
  };
}

async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const post = genuine(product, account);
  const { 'X-API-Key': _, ...rest } = post.headers;
  const other = await userToken(product.api, await newUser(product));
  const refused = (title: string, headers: Record<string, string>, status = 401): Forgery => ({
    ...{ title, status, post: { ...post, headers: { ...rest, ...headers } } },
  });
  return [
    refused('no credential', {}),
    refused('an API key that does not exist', { 'X-API-Key': 'sk-unknown' }),
    refused('the token of another user', { Authorization: `Bearer ${other}` }, 403),
  ];
}

async function compare(product: Product, account: Account): Promise<Comparison> {
  const count = hoursPerDay * (days.get(account) ?? 0);
  return {
    want: { heart_rate: count, steps: count },
    have: await servedCounts(product, account.userId, 0, ['heart_rate', 'steps']),
  };
}

// The sender goes away in the middle of the file, and sends it again.
async function cutOff(product: Product, account: Account): Promise<number> {
  const day = nextDay(account);
  const ending = new AbortController();
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(tableOf(day).slice(0, 500)));
      ending.abort();
    },
  });
  const { url, headers } = genuine(product, account);
  const options = { method: 'POST', headers, body, duplex: 'half' as const, signal: ending.signal };
  const lost = await fetch(url, options).then(
    () => 0,
    () => 1,
  );
  await importDay(product, account, day);
  return lost;
}

const noRequests = 'The product sends no requests to a provider of files.';
const noTokens = 'Files have no tokens of a provider.';

/** Files, which users or applications import. */
export const file: Descriptor = {
  ...{ connect, newData, compare, genuine },
  scenarios: {
    forged: { requests: forgeries, mostReads: 0 },
    duplicate: {
      async play(product, account) {
        const day = nextDay(account);
        await importDay(product, account, day);
        await importDay(product, account, day);
        return 1;
      },
    },
    lost: { play: cutOff },
    outOfOrder: {
      async play(product, account) {
        const day = nextDay(account, 2);
        await importDay(product, account, day + 1);
        await importDay(product, account, day);
        return 2;
      },
    },
    late: { play: (product, account) => newData(product, account).then(() => 1) },
    rotatedTokens: { doesNotApply: noTokens },
    expiredTokens: { doesNotApply: noTokens },
    rateLimit: { doesNotApply: noRequests },
    serverErrors: { doesNotApply: noRequests },
    partialScopes: { doesNotApply: 'A file contains what its user put into it; there is no scope.' },
    endedAtProvider: { doesNotApply: 'There is no provider that could end an access.' },
    endedInProduct: {
      doesNotApply: 'An import is an act of the user, which connects again after a disconnect.',
    },
    erasure: {
      queue: async ({ api }, { userId }) => void (await sendFile(api, userId, tableOf(41))),
    },
  },
};
