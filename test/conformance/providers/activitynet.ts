import { createHmac } from 'node:crypto';
import { z } from 'zod';
import {
  type Playing,
  passQuarters,
  queueWork,
  underErrors,
  underExpiry,
  underFault,
  underLimit,
} from '../plays.ts';
import { accountIdOf, control, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Forgery } from '../scenarios.ts';
import { servedOffsets } from '../served.ts';
import { accountAt, connectTo, postOf } from './simulated.ts';
import { compareSnapshots } from './snapshots.ts';

const provider = 'activitynet';
const minuteMs = 60_000;
const people = 6;
const header = 'X-Strava-Signature';

/** The newest activities come and go, because a backfill of all would cost minutes. */
const newest = 12;
const pastDays = 20;
const Listed = z.array(z.object({ id: z.int() }));
const listed = new WeakMap<Account, { ids: readonly number[]; next: number }>();

async function activitiesOf(product: Product, account: Account) {
  const known = listed.get(account);
  if (known !== undefined) return known;
  const all = Listed.parse(await control(product, 'GET', `/people/${account.person}/activities`));
  const made = { ids: all.slice(-newest).map(({ id }) => id), next: 0 };
  listed.set(account, made);
  return made;
}

/** Two activities appear, of which one gets another title, and the one before them vanishes. */
const newData = (product: Product, account: Account) => change(product, account, true);

/** The same, and nothing vanishes: the event of a deletion is the only message of it. */
const addedData = (product: Product, account: Account) => change(product, account, false);

async function change(product: Product, account: Account, deletes: boolean): Promise<void> {
  const activities = await activitiesOf(product, account);
  const at = (index: number) => activities.ids[index % activities.ids.length];
  const act = (id: number | undefined, what: string, more: object = {}) =>
    control(product, 'POST', `/people/${account.person}/activities`, { id, change: what, ...more });
  const { next } = activities;
  activities.next += 2;
  await act(at(next), 'restore');
  await act(at(next + 1), 'restore');
  await act(at(next + 1), 'title', { title: `Title ${next}` });
  if (deletes && next > 0) await act(at(next - 1), 'delete');
  await passQuarters(product, 1);
}

const playing: Playing = {
  ...{ provider, newData },
  async hurry(product) {
    product.skipWindow();
    await product.api.database.query('update activitynet.activity set run_at = now() where not leased');
  },
};

async function genuine(product: Product, account: Account) {
  const owner_id = Number(await accountIdOf(product, account.userId));
  const { ids } = await activitiesOf(product, account);
  const event = {
    ...{ object_type: 'activity', object_id: ids.at(-1), aspect_type: 'create', owner_id, updates: {} },
    event_time: Math.floor(Date.now() / 1000),
  };
  return postOf(product, provider, { kind: 'event', ...{ event } });
}

// An event that is not signed is answered as any other, is counted, and leads to nothing.
async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const { url, headers, body } = await genuine(product, account);
  const { [header]: _, ...rest } = headers;
  const signed = (text: string, secret: string, seconds: number) => {
    const digest = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
    return { url, body: text, headers: { ...rest, [header]: `t=${seconds},v1=${digest}` } };
  };
  const now = Math.floor(Date.now() / 1000);
  const right = product.sandbox.access.settings.ACTIVITYNET_CLIENT_SECRET ?? '';
  const wrong = new URL(url.href.replace(/[^/]+$/, 'x'.repeat(40)));
  return [
    { title: 'a wrong secret in the address', post: { url: wrong, headers, body }, status: 404 },
    { title: 'no signature', post: { url, headers: rest, body }, status: 200 },
    { title: 'a signature with another secret', post: signed(body, 'another secret', now), status: 200 },
    { title: 'a signature of another body', post: { url, headers, body: `${body} ` }, status: 200 },
    { title: 'a signature of ten minutes ago', post: signed(body, right, now - 600), status: 200 },
  ];
}

const Started = z.array(z.object({ start_date: z.string(), start_date_local: z.string() }));

/** The starts of the activities that the provider shows, each with the offset of its place. */
async function offsetsAt(product: Product, { person }: Account): Promise<string[]> {
  const all = Started.parse(await control(product, 'GET', `/ledger/activities?person=${person}`));
  return all
    .map(({ start_date, start_date_local }) => {
      const minutes = (Date.parse(start_date_local) - Date.parse(start_date)) / minuteMs;
      const size = Math.abs(minutes);
      const parts = [Math.floor(size / 60), size % 60].map((one) => String(one).padStart(2, '0'));
      return `${start_date.slice(0, 19)} ${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
    })
    .sort();
}

// Days are not sent, only activities.
async function compare(product: Product, account: Account): Promise<Comparison> {
  const { want, have } = await compareSnapshots(product, account, { days: [] });
  return {
    want: { data: want, offsets: await offsetsAt(product, account) },
    have: { data: have, offsets: await servedOffsets(product, account.userId) },
  };
}

async function readPast(product: Product, { userId }: Account): Promise<void> {
  const path = `/users/${userId}/connections/${provider}/backfill`;
  await product.api.expect(202, path, { method: 'POST', body: { days: pastDays } });
  await settled(product);
}

/** A platform for activities that sends signed events without data and is read within quotas. */
export const activitynet: Descriptor = {
  connect: (product, person, without) => connectTo(product, provider, people + people * person, without),
  ...{ newData, genuine },
  compare,
  scenarios: {
    forged: forgeries,
    duplicate: underFault(playing, { kind: 'duplicate' }),
    lost: underFault({ ...playing, newData: addedData }, { kind: 'dropped', repair: readPast }),
    outOfOrder: underFault(playing, { kind: 'disorder', spreadSeconds: 900 }),
    late: underFault(playing, { kind: 'disorder', spreadSeconds: 7200 }),
    rotatedTokens: underExpiry(playing, 2),
    expiredTokens: underExpiry(playing, 1),
    rateLimit: underLimit(playing, 4),
    serverErrors: underErrors(playing),
    partialScopes: { without: ['profile:read_all'], tooLittle: ['activity:read_all'] },
    endedAtProvider: {
      status: 'revoked',
      async end(product, { person }) {
        await control(product, 'POST', `/people/${person}/deauthorize`, {});
        await product.sandbox.advance(minuteMs);
        await settled(product);
      },
    },
    endedInProduct: {
      isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
    },
    erasure: { queue: queueWork(playing) },
  },
};
