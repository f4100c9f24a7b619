import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isKept } from '../../../domain/provider/field-table.ts';
import type { Provider } from '../../../domain/provider/provider.ts';
import { isSummed } from '../../../domain/recipe/sample-blocks.ts';
import { isSeriesType, type SeriesType } from '../../../domain/records/series.ts';
import { type PulledName, providers } from '../../../providers/all.ts';
import type { Post } from '../../../sandbox/server/delivery.ts';
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
import type {
  Account,
  Comparison,
  Descriptor,
  Disturbance,
  DoesNotApply,
  PartialScopes,
} from '../scenarios.ts';
import { servedCounts, servedValues } from '../served.ts';
import { interrupt } from './interrupt.ts';
import { pulledPlaying, untilFound } from './pulled.ts';
import { connectTo } from './simulated.ts';

/** The number of users in the table of the simulation; those after it have the same traits again. */
const people = 6;
const firstPerson = 1;
const firstHours = 4;
const missedHours = 3;

/** A record of one value that the provider lists. */
interface ListedValue {
  readonly type: string;
  readonly id: string;
  readonly series: SeriesType;
  readonly ms: number;
}

/** What differs between providers that are read by cadence. */
interface PolledCase {
  readonly provider: PulledName;
  /** The newest record that is listed at an instant. */
  readonly listed: (nowMs: number) => ListedValue;
  readonly partialScopes: PartialScopes | DoesNotApply;
  /** Set where our access cannot be ended by a request. */
  readonly endedInProduct: DoesNotApply;
}

const Ledger = z.object({ kinds: z.array(z.object({ samples: z.record(z.string(), z.int()) })) });
const notNotified = { doesNotApply: 'it notifies of nothing' } as const;

/** The descriptor of a provider without notifications that lists single values, of which none is a night or a workout. */
export function polledValuesDescriptor(given: PolledCase): Descriptor {
  const { provider } = given;
  const series = seriesOf(provider);
  const playing: Playing = {
    ...pulledPlaying(provider),
    async newData(product) {
      await passQuarters(product, 2);
      await poll(product, provider);
    },
  };

  async function compare(product: Product, { userId, person, fromMs }: Account): Promise<Comparison> {
    const path = `/${provider}/control/ledger?person=${person}&from_ms=${fromMs}`;
    const want: Record<string, number> = {};
    for (const { samples } of Ledger.parse(await control(product, 'GET', path)).kinds)
      for (const [type, count] of Object.entries(samples)) want[type] = (want[type] ?? 0) + count;
    return { want, have: await servedCounts(product, userId, fromMs, series) };
  }

  // There is no address for notifications of the provider.
  function genuine({ api }: Product): Post {
    const body = JSON.stringify({ provider });
    const headers = { 'Content-Type': 'application/json' };
    return { url: new URL(`${api.url}/api/v1/webhooks/${provider}/events`), headers, body };
  }

  return {
    async connect(product, person, without) {
      const account = await connectTo(product, provider, firstPerson + people * person, without);
      await untilFound(product, account.userId);
      await passQuarters(product, 4 * (person === 0 ? firstHours : 1));
      return account;
    },
    newData: playing.newData,
    compare,
    genuine,
    scenarios: {
      forged: (product) => [{ title: 'a notification', post: genuine(product), status: 404 }],
      duplicate: notNotified,
      // It was not read for some hours: the next read has what it listed meanwhile.
      lost: {
        async play(product) {
          await passQuarters(product, 4 * missedHours);
          await poll(product, provider);
          return missedHours;
        },
      },
      outOfOrder: notNotified,
      late: notNotified,
      rotatedTokens: underExpiry(playing, 2),
      expiredTokens: underExpiry(playing, 1),
      rateLimit: underLimit(playing, 8),
      serverErrors: underErrors(playing),
      partialScopes: given.partialScopes,
      endedAtProvider: {
        status: 'expired',
        async end(product, { person }) {
          await control(product, 'POST', `/${provider}/control/people/${person}/access`);
          await poll(product, provider);
        },
      },
      endedInProduct: given.endedInProduct,
      erasure: { queue: queueWork(playing) },
    },
    more: {
      // Answers are cut off after they were made.
      damaged: underFault(playing, { kind: 'lost', repair: (product) => pollAgain(product, playing) }),
      // A backfill reads the same days at once.
      parallel: {
        async play(product, { userId }) {
          await passQuarters(product, 2);
          const path = `/users/${userId}/connections/${provider}/backfill`;
          await product.api.expect(202, path, { method: 'POST', body: { days: 3 } });
          await poll(product, provider);
          await settled(product);
          return 1;
        },
      },
      // The connections to the database end while data is read.
      interrupted: {
        async play(product, account) {
          const reading = playing.newData(product, account);
          const ended = await interrupt(product);
          await reading;
          await pollAgain(product, playing);
          return ended;
        },
      },
      // The user consents again: nothing is stored twice.
      connectedAgain: {
        async play(product, account) {
          const { userId, person } = account;
          const status = await consent(product, { userId, provider, person, without: [] });
          await playing.newData(product, account);
          return status === 'connected' ? 1 : 0;
        },
      },
      deleted: changeOf(given, 'DELETE', (before, after) => after.length === before.length - 1),
      changed: changeOf(given, 'POST', (before, after) => !isDeepStrictEqual(before, after)),
    },
  };
}

/** The provider deletes or changes the newest value; the next read has it. */
function changeOf(
  { provider, listed }: PolledCase,
  method: 'DELETE' | 'POST',
  isDone: (before: readonly number[], after: readonly number[]) => boolean,
): Disturbance {
  return {
    async play(product, { userId, person }) {
      await passQuarters(product, 2);
      await poll(product, provider);
      await settled(product);
      const { type, id, series, ms } = listed(product.sandbox.world.clock.nowMs());
      const valuesFrom = () => servedValues(product, userId, ms, series);
      const before = await valuesFrom();
      await control(product, method, `/${provider}/control/people/${person}/${type}/${id}`);
      await poll(product, provider);
      await until(async () => isDone(before, await valuesFrom()));
      return before.length;
    },
  };
}

/** Makes the most frequent reads of a provider due, and waits until they are in work or wait for a time. */
async function poll(product: Product, provider: string): Promise<void> {
  const { database } = product.api;
  const of = 'c.provider = $1 and c.ended_at is null and s.number = 0';
  await database.query(
    `update pull.sweep s set due_at = now() from pull.connection c where c.connection_id = s.connection_id and ${of}`,
    [provider],
  );
  const due = `select from pull.sweep s join pull.connection c using (connection_id) where ${of} and s.due_at <= now()`;
  await until(async () => (await database.query(due, [provider])).length === 0);
  await untilIdle(product);
}

async function pollAgain(product: Product, { provider, hurry }: Playing): Promise<void> {
  await hurry(product);
  await settled(product);
  await poll(product, provider);
}

/** The series in the tables of a provider. Sums are intervals, which are not counted as samples. */
function seriesOf(provider: PulledName): SeriesType[] {
  const { fields }: Provider = providers[provider];
  const named = Object.values(fields)
    .flatMap((table) => Object.values(table))
    .flatMap((field) => (isKept(field) ? field.ends : []))
    .map((end) => end.replace(/^series\./, ''))
    .filter(isSeriesType);
  return [...new Set(named)].filter((type) => !isSummed(type));
}
