import { isDeepStrictEqual } from 'node:util';
import type { SeriesType } from '../../../domain/records/series.ts';
import type { PulledName } from '../../../providers/all.ts';
import { until } from '../../support/until.ts';
import {
  type Playing,
  passQuarters,
  queueWork,
  underErrors,
  underExpiry,
  underFault,
  underLimit,
} from '../plays.ts';
import { consent, control, type Product, settled, untilIdle } from '../product.ts';
import type { Account, Descriptor, Disturbance, DoesNotApply, PartialScopes } from '../scenarios.ts';
import { servedValues } from '../served.ts';
import { interrupt } from './interrupt.ts';
import { listedComparison } from './listed.ts';
import { demand, pulledPlaying, sweep, untilFound } from './pulled.ts';
import { accountAt } from './simulated.ts';

/** A record of an account. With a series it is one value, at an instant. */
interface PolledRecord {
  readonly type: string;
  readonly id: string;
  readonly value?: { readonly series: SeriesType; readonly ms: number };
}

/** What differs between providers that are read by cadence alone. */
export interface PolledCase {
  readonly provider: PulledName;
  readonly partialScopes: PartialScopes | DoesNotApply;
  /** Set where our access cannot be ended by a request. */
  readonly withoutRevocation?: DoesNotApply;
  /** A record that is stored: the user deletes it at the provider, and the provider changes one that is a value. */
  readonly stored: (product: Product, account: Account) => PolledRecord | Promise<PolledRecord>;
  /** The region of the account of a person, where the provider keeps those of its regions apart. */
  readonly regionOf?: (person: number) => string;
}

const notNotified: DoesNotApply = { doesNotApply: 'it has no notifications' };
/** So many quarters of an hour pass without a read. */
const missedQuarters = 32;
const reads = 4;

/** The descriptor of a provider without notifications: its data is read again and again. */
export function polledDescriptor(given: PolledCase): Descriptor {
  const { provider, partialScopes, withoutRevocation, stored, regionOf } = given;
  const pulled = pulledPlaying(provider);
  const playing: Playing = {
    ...pulled,
    async newData(product, account) {
      await pulled.newData(product, account);
      await poll(product);
    },
  };
  const pollAgain = async (product: Product) => {
    await playing.hurry(product);
    await settled(product);
    await poll(product);
  };
  // There is no address for notifications of the provider.
  const stranger = ({ api }: Product, kind: string) => ({
    url: new URL(`${api.url}/api/v1/webhooks/${provider}/${kind}/${'x'.repeat(40)}`),
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  const comparison = listedComparison(provider, async () => undefined, regionOf);
  const changed = async (product: Product, account: Account, method: 'DELETE' | 'POST') => {
    const record = await stored(product, account);
    const path = `/${provider}/control/people/${account.person}/${record.type}/${encodeURIComponent(record.id)}`;
    const values = () => valuesOf(product, account, record);
    const before = await values();
    await control(product, method, path);
    await sweep(product);
    return { record, before, values };
  };
  return {
    ...comparison,
    genuine: (product) => stranger(product, 'events'),
    newData: playing.newData,
    async connect(product, person, without) {
      const account = await comparison.connect(product, person, without);
      await untilFound(product, account.userId);
      await sweep(product);
      return account;
    },
    scenarios: {
      forged: (product) =>
        ['events', 'notify', ''].map((kind) => ({
          title: `a notification at /${kind}`,
          post: stranger(product, kind),
          status: 404,
        })),
      duplicate: notNotified,
      outOfOrder: notNotified,
      late: notNotified,
      lost: {
        async play(product) {
          await passQuarters(product, missedQuarters);
          await sweep(product);
          return missedQuarters;
        },
      },
      rotatedTokens: underExpiry(playing, 2),
      expiredTokens: underExpiry(playing, 1),
      rateLimit: underLimit(playing, 8),
      serverErrors: underErrors(playing),
      partialScopes,
      endedAtProvider: {
        status: 'expired',
        async end(product, { person }) {
          await control(product, 'POST', `/${provider}/control/people/${person}/access`);
          await sweep(product);
        },
      },
      endedInProduct: withoutRevocation ?? {
        isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
      },
      erasure: { queue: queueWork(playing) },
    },
    more: {
      // Answers are cut off after they were made.
      damaged: underFault(playing, { kind: 'lost', repair: pollAgain }),
      // The same days are demanded several times while they are read.
      parallel: {
        async play(product, account) {
          await pulled.newData(product, account);
          const path = `/users/${account.userId}/connections/${provider}/backfill`;
          for (let read = 0; read < reads; read++) await demand(product);
          await product.api.expect(202, path, { method: 'POST', body: { days: 3 } });
          await demand(product);
          await settled(product);
          return reads;
        },
      },
      // The connections to the database end while data is read.
      interrupted: {
        async play(product, account) {
          const reading = playing.newData(product, account);
          const ended = await interrupt(product);
          await reading;
          await pollAgain(product);
          return ended;
        },
      },
      // The user consents again: nothing is stored twice.
      connectedAgain: {
        async play(product, account) {
          const { userId, person } = account;
          const choice = { userId, provider, person, without: [], region: regionOf?.(person) };
          const status = await consent(product, choice);
          await playing.newData(product, account);
          return status === 'connected' ? 1 : 0;
        },
      },
      deleted: afterReading(playing, async (product, account) => {
        const { record, before, values } = await changed(product, account, 'DELETE');
        if (record.value !== undefined)
          await until(async () => (await values()).length === before.length - 1);
      }),
      changed: afterReading(playing, async (product, account) => {
        const { record, before, values } = await changed(product, account, 'POST');
        if (record.value !== undefined) await until(async () => !isDeepStrictEqual(await values(), before));
      }),
    },
  };
}

/** A disturbance that begins when all that is new has been read. */
const afterReading = (
  playing: Playing,
  play: (product: Product, account: Account) => Promise<void>,
): Disturbance => ({
  async play(product, account) {
    await playing.newData(product, account);
    await settled(product);
    await play(product, account);
    return 1;
  },
});

/** What is served from the instant of a record on. Empty: it is no value. */
async function valuesOf(
  product: Product,
  { userId }: Account,
  { value }: PolledRecord,
): Promise<readonly number[]> {
  return value === undefined ? [] : servedValues(product, userId, value.ms, value.series);
}

/** Makes the periodic reads of all connections due, and waits until they are in work or wait for a time. */
async function poll(product: Product): Promise<void> {
  await demand(product);
  await untilIdle(product);
}
