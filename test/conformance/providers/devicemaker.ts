import { z } from 'zod';
import { permissions } from '../../../sandbox/devicemaker/notification-parts.ts';
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
import type { Account, Descriptor, Forgery } from '../scenarios.ts';
import { accountAt, connectTo, postOf } from './simulated.ts';
import { compareSnapshots } from './snapshots.ts';

const provider = 'devicemaker';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const people = 6;

const style = (product: Product, name: 'push' | 'ping') =>
  control(product, 'PUT', '/application', { style: name });

const playing: Playing = {
  provider,
  newData: (product) => passQuarters(product, 2),
  hurry: ({ api }) =>
    api.database.query(`update deliveries.delivery set run_at = now() where state = 'ready'`),
};

/** The same with notifications that name where the data is, so that the product requests it. */
const reading: Playing = {
  ...playing,
  async newData(product) {
    await style(product, 'ping');
    await passQuarters(product, 2);
    await style(product, 'push');
  },
};

// Tokens are used only to request past data.
async function requestPast(product: Product, { userId }: Account): Promise<void> {
  const path = `/users/${userId}/connections/${provider}/backfill`;
  await product.api.expect(202, path, { method: 'POST', body: { days: 1 } });
  await untilDone(product, path);
}

const Run = z.object({ status: z.string() });

// The data of a request is sent when the window of the provider closes.
async function untilDone(product: Product, path: string): Promise<void> {
  for (;;) {
    const { status } = Run.parse(await product.api.expect(200, path));
    if (status !== 'running') return;
    await product.sandbox.advance(3000);
  }
}

async function genuine(product: Product, { userId }: Account) {
  const account_id = await accountIdOf(product, userId);
  const endMs = product.sandbox.world.clock.nowMs();
  // At night, and while the device charges, there may be no epochs for hours.
  const portion = { account_id, type: 'epochs', startMs: endMs - dayMs, endMs };
  return postOf(product, provider, { kind: 'data', ...{ portions: [portion] } });
}

async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const post = await genuine(product, account);
  const { 'devicemaker-client-id': _, ...rest } = post.headers;
  const wrong = new URL(post.url.href.replace(/[^/]+$/, 'x'.repeat(40)));
  return [
    { title: 'a wrong secret in the address', post: { ...post, url: wrong }, status: 404 },
    { title: 'no client id', post: { ...post, headers: rest }, status: 401 },
    {
      title: 'another client id',
      post: { ...post, headers: { ...rest, 'devicemaker-client-id': 'another' } },
      status: 401,
    },
  ];
}

/** A maker of wearable devices that pushes items, or sends pings with addresses to fetch. */
export const devicemaker: Descriptor = {
  connect: (product, person, without) => connectTo(product, provider, 1 + people * person, without),
  newData: playing.newData,
  compare: compareSnapshots,
  genuine,
  scenarios: {
    forged: forgeries,
    duplicate: underFault(playing, { kind: 'duplicate' }),
    // What was never sent is requested again.
    lost: underFault(playing, { kind: 'dropped', repair: requestPast }),
    outOfOrder: underFault(playing, { kind: 'disorder', spreadSeconds: 900 }),
    late: underFault(reading, { kind: 'disorder', spreadSeconds: 7200 }),
    rotatedTokens: underExpiry({ provider, newData: requestPast }, 2),
    expiredTokens: underExpiry({ provider, newData: requestPast }, 1),
    // Four requests of each of four notifications are under way when the first answer comes.
    rateLimit: underLimit(reading, 16),
    serverErrors: underErrors(reading),
    partialScopes: { without: ['HEALTH_EXPORT'], tooLittle: permissions },
    endedAtProvider: {
      status: 'revoked',
      async end(product, { person }) {
        await control(product, 'POST', `/people/${person}/deregister`, {});
        await product.sandbox.advance(minuteMs);
        await settled(product);
      },
    },
    endedInProduct: {
      isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
    },
    erasure: { queue: queueWork(reading) },
  },
};
