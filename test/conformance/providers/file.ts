import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { FileImport } from '../../../contracts/file-import.ts';
import { ended, importFile, sendFile } from '../../services/file-import/importing.ts';
import { type Answer, userToken } from '../../support/api.ts';
import { newUser, type Product, settled, statusOf } from '../product.ts';
import type { Account, Comparison, Descriptor, Disturbance, Forgery } from '../scenarios.ts';
import { servedCounts, servedValues, sortedValues } from '../served.ts';
import { interrupt } from './interrupt.ts';
import { issueTokens, renewTokens } from './user-tokens.ts';

const dayMs = 86_400_000;
const hoursPerDay = 24;
/** The data of days long ago, so that no part of it lies ahead. */
const firstMs = (Math.floor(Date.now() / dayMs) - 60) * dayMs;
const days = new WeakMap<Account, number>();

/** A table with the heart rates and steps of the hours of a day. */
function tableOf(day: number): string {
  const lines = Array.from({ length: hoursPerDay }, (_, hour) => {
    const at = new Date(firstMs + day * dayMs + hour * 3_600_000).toISOString();
    const rate = (60 + hour) / 60;
    return [`heart_rate,${at},${rate},count/s,Chest strap`, `steps,${at},${10 * hour + 1},count,Pedometer`];
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
  const imported = days.get(account) ?? 0;
  const count = hoursPerDay * imported;
  const rates = Array.from({ length: count }, (_, index) => 60 + (index % hoursPerDay));
  const counts = await servedCounts(product, account.userId, 0, ['heart_rate', 'steps']);
  return {
    want: { heart_rate: count, steps: count, rates: sortedValues(rates) },
    have: { ...counts, rates: await servedValues(product, account.userId, 0, 'heart_rate') },
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

/** A page of the user has a token that has expired, `times` times, and renews the pair. */
const underExpiry = (times: number): Disturbance => ({
  async play(product, account) {
    const { userId } = account;
    let tokens = await issueTokens(product, userId);
    let renewed = 0;
    for (let time = 0; time < times; time++) {
      const day = nextDay(account);
      const { status } = await sendAs(product, account, 'expired', day);
      tokens = (await renewTokens(product, tokens)) ?? tokens;
      const answer = await sendAs(product, account, tokens.access_token, day);
      await ended(product.api, userId, FileImport.parse(answer.body).id);
      if (status === 401) renewed += 1;
    }
    return renewed;
  },
});

/** Sends a table with the token of a user. */
function sendAs({ api }: Product, { userId }: Account, token: string, day: number): Promise<Answer> {
  const headers = { 'Content-Type': 'text/csv' };
  const path = `/api/v1/users/${userId}/imports`;
  return api.ask(path, { method: 'POST', token, body: tableOf(day), headers });
}

/** A damaged archive fails as a whole. Of a table with damaged lines the others are stored. */
async function damaged(product: Product, account: Account): Promise<number> {
  const archive = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(500, 7)]);
  const failed = await importFile(product.api, account.userId, archive);
  const lines = tableOf(nextDay(account)).split('\n');
  const table = [...lines, 'heart_rate,yesterday,60,bpm,Chest strap', '"steps'].join('\n');
  const { state, skipped } = await importFile(product.api, account.userId, table);
  await settled(product);
  if (failed.state !== 'failed' || state !== 'done') throw new Error(`${failed.state}, ${state}`);
  return skipped.reduce((sum, { items }) => sum + items, 0);
}

/** Three files at once, of which two are the same. */
async function inParallel(product: Product, account: Account): Promise<number> {
  const day = nextDay(account, 2);
  const all = [day, day + 1, day].map((one) => importDay(product, account, one));
  return (await Promise.all(all)).length;
}

/** The connections to the database end while files are read. */
async function interrupted(product: Product, account: Account): Promise<number> {
  const day = nextDay(account);
  // A file that was refused meanwhile is sent again.
  const importing = importDay(product, account, day).catch((error: Error) => {
    if (!error.message.startsWith('503')) throw error;
    return importDay(product, account, day);
  });
  await sleep(50);
  const count = await interrupt(product);
  await importing;
  return count;
}

const Key = z.object({ id: z.string(), key: z.string() });

/** The API key of an application was deleted. */
async function revoked(product: Product, account: Account): Promise<number> {
  const { api } = product;
  const as = { token: api.developerToken };
  const made = Key.parse((await api.ask('/api/v1/api-keys', { ...as, body: { name: 'Imports' } })).body);
  await api.ask(`/api/v1/api-keys/${made.id}`, { ...as, method: 'DELETE' });
  const { status } = await sendFile(api, account.userId, tableOf(40), { key: made.key });
  if (status !== 401) throw new Error(`a deleted key is answered with ${status}`);
  await newData(product, account);
  return 1;
}

/** An import after a disconnect connects again, and the data of before is still there. */
async function connectedAgain(product: Product, account: Account): Promise<number> {
  const path = `/users/${account.userId}/connections/file`;
  await product.api.expect(200, path, { method: 'DELETE' });
  const isRevoked = (await statusOf(product, account.userId)) === 'revoked';
  await newData(product, account);
  return isRevoked ? 1 : 0;
}

/** Files, which users or applications import. */
export const file: Descriptor = {
  ...{ connect, newData, compare, genuine },
  scenarios: {
    forged: forgeries,
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
    rotatedTokens: underExpiry(2),
    expiredTokens: underExpiry(1),
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
  more: {
    damaged: { play: damaged },
    parallel: { play: inParallel },
    interrupted: { play: interrupted },
    revoked: { play: revoked },
    connectedAgain: { play: connectedAgain },
  },
};
