import { generateKeyPairSync, sign } from 'node:crypto';
import { z } from 'zod';
import { queueWork, underErrors, underExpiry, underFault, underLimit } from '../plays.ts';
import { accountIdOf, control, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, Forgery } from '../scenarios.ts';
import { servedCounts, servedStarts } from '../served.ts';
import { pulledPlaying, sweep } from './pulled.ts';
import { accountAt, connectTo, postOf } from './simulated.ts';

const provider = 'googlehealth';
const hourMs = 3_600_000;
const people = 6;
const header = 'Google-Health-API-Signature';
const playing = pulledPlaying(provider);

async function genuine(product: Product, { userId }: Account) {
  const account = await accountIdOf(product, userId);
  const end_ms = product.sandbox.world.clock.nowMs();
  const change = {
    ...{ account, operation: 'UPSERT', type: 'steps', end_ms },
    start_ms: end_ms - hourMs,
  };
  return postOf(product, provider, { kind: 'changes', ...{ changes: [change] } });
}

async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
  const { url, headers, body } = await genuine(product, account);
  const { [header]: text = '', ...unsigned } = headers;
  const signature = Buffer.from(text, 'base64');
  const refused = (title: string, bytes: Buffer, of = body): Forgery => {
    const post = { url, body: of, headers: { ...unsigned, [header]: bytes.toString('base64') } };
    return { title, post, status: 401 };
  };
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const der = sign('sha256', Buffer.from(body), { key, dsaEncoding: 'der' });
  const unknown = Buffer.from(signature);
  unknown.writeUInt32BE(7, 1);
  const wrong = new URL(url.href.replace(/[^/]+$/, 'x'.repeat(40)));
  return [
    { title: 'a wrong secret in the address', post: { url: wrong, headers, body }, status: 404 },
    { title: 'no signature', post: { url, headers: unsigned, body }, status: 401 },
    refused('a signature with another key', Buffer.concat([signature.subarray(0, 5), der])),
    refused('an unknown key id', unknown),
    refused('a truncated signature', signature.subarray(0, signature.length - 3)),
    refused('a signature of another body', signature, `${body} `),
    {
      title: 'another authorization',
      post: { url, body, headers: { ...headers, Authorization: 'Bearer wrong' } },
      status: 401,
    },
  ];
}

const Line = z.object({ type: z.string(), device: z.string(), points: z.int(), sum: z.number() });
const Ledger = z.object({ lines: z.array(Line) });
const seriesOf: Readonly<Record<string, { readonly name: string; readonly scope: string }>> = {
  steps: { name: 'steps', scope: 'activity' },
  distance: { name: 'distance_walking_running', scope: 'activity' },
  'heart-rate': { name: 'heart_rate', scope: 'health_metrics' },
  weight: { name: 'weight', scope: 'health_metrics' },
};

async function compare(product: Product, account: Account): Promise<Comparison> {
  const { userId, person, fromMs, without } = account;
  const path = `/ledger/health?person=${person}&from_ms=${fromMs}`;
  const { lines } = Ledger.parse(await control(product, 'GET', path));
  const samples: Record<string, number> = {};
  let [sleep, exercise] = [0, 0];
  for (const { type, points } of lines) {
    const { name, scope } = seriesOf[type] ?? {};
    if (name !== undefined && !without.some((one) => one === scope))
      samples[name] = (samples[name] ?? 0) + points;
    if (type === 'sleep' && !without.includes('sleep')) sleep += points;
    if (type === 'exercise') exercise += points;
  }
  const types = Object.values(seriesOf).map(({ name }) => name);
  return {
    want: { samples, sleep, exercise },
    have: {
      samples: await servedCounts(product, userId, fromMs, types),
      sleep: (await servedStarts(product, userId, fromMs, 'sleep')).length,
      exercise: (await servedStarts(product, userId, fromMs, 'workouts')).length,
    },
  };
}

/** A health data platform whose signed notifications name intervals to be read again. */
export const googlehealth: Descriptor = {
  connect: (product, person, without) => connectTo(product, provider, 4 + people * person, without),
  ...{ newData: playing.newData, compare, genuine },
  scenarios: {
    forged: forgeries,
    duplicate: underFault(playing, { kind: 'duplicate' }),
    lost: underFault(playing, { kind: 'dropped', repair: sweep }),
    outOfOrder: underFault(playing, { kind: 'disorder', spreadSeconds: 900 }),
    late: underFault(playing, { kind: 'disorder', spreadSeconds: 7200 }),
    // A renewal returns no refresh token: the one of the consent stays valid and must be kept.
    rotatedTokens: underExpiry(playing, 2),
    expiredTokens: underExpiry(playing, 1),
    rateLimit: underLimit(playing, 8),
    serverErrors: underErrors(playing),
    partialScopes: {
      without: ['sleep', 'health_metrics'],
      tooLittle: ['sleep', 'health_metrics', 'activity', 'nutrition'],
    },
    endedAtProvider: {
      status: 'expired',
      async end(product, { userId, person }) {
        await control(product, 'POST', `/people/${person}/health-access`);
        // There is no notification of it: the next read shows it.
        const path = `/users/${userId}/connections/${provider}/backfill`;
        await product.api.expect(202, path, { method: 'POST', body: { days: 1 } });
        await settled(product);
      },
    },
    endedInProduct: {
      isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
    },
    erasure: { queue: queueWork(playing) },
  },
};
