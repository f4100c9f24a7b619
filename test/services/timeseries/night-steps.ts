import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { retainOnePart } from '../../../services/timeseries/work/retention.ts';
import { activity, at, block, epoch, item, night, sleep, workout } from './items.ts';

/** What a step changes data with. */
interface StepContext {
  readonly call: Call;
  readonly database: Database;
  readonly userId: string;
}

export type Random = (most: number) => number;
export type Step = (context: StepContext) => Promise<unknown>;

/** Four days, of which the nights and the samples are. */
const window = { startMs: at('12:00:00', '2026-03-01'), minutes: 4 * 24 * 60 };

const types = [
  ...(['heart_rate', 'heart_rate_variability_sdnn', 'respiratory_rate', 'oxygen_saturation'] as const),
  ...(['heart_rate', 'steps', 'heart_rate_variability_rmssd'] as const),
];
const devices = ['Watch 7', 'Band 2', 'Ring'];
const providers: readonly ProviderName[] = ['devicemaker', 'devicemaker', 'activitynet'];
const order = { providers: ['devicemaker', 'activitynet'], deviceTypes: ['watch', 'phone'] };

const oneOf = <T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T => {
  const [first] = list;
  const found = list[random(list.length)] ?? first;
  if (found === undefined) throw new Error('an empty list');
  return found;
};

const instantOf = (random: Random) => window.startMs + random(window.minutes) * minuteMs;

/** Samples of a few hours. Their values are quarters, so that sums do not depend on the order of their terms. */
function samplesOf(random: Random, type: SampleBlock['type'] = oneOf(random, types)) {
  const first = instantOf(random);
  const rows = Array.from({ length: 1 + random(40) }, (_, index) => {
    return [first + index * (1 + random(2)) * 5 * minuteMs, 20 + random(200) / 4] as const;
  });
  const distinct = [...new Map(rows).entries()].toSorted(([a], [b]) => a - b);
  return block(type, distinct, { device: oneOf(random, devices) });
}

function sessionOf(random: Random, is_nap: boolean) {
  const start = instantOf(random);
  // Now and then longer than a kept night may be.
  const minutes = random(12) === 0 ? 60 * (40 + random(20)) : 10 + random(500);
  const wake = new Date(start + minutes * minuteMs + (random(9) === 0 ? 24 * (random(13) - 6) * hourMs : 0));
  return sleep(start, minutes, {
    ...{ is_nap, rank: random(3), device: oneOf(random, devices) },
    date: wake.toISOString().slice(0, 10),
    asleep_seconds: (minutes - random(minutes)) * 60,
  });
}

function nightOf(random: Random): z.input<typeof StoreItem> {
  const sessions = [
    sessionOf(random, random(5) === 0),
    ...(random(4) === 0 ? [sessionOf(random, true)] : []),
  ];
  const samples = random(3) === 0 ? [samplesOf(random)] : [];
  return night(sessions, { key: `night ${random(6)}`, hash: randomUUID(), samples });
}

/** The same session again, with another device or another time asleep. */
function sameNight(random: Random): z.input<typeof StoreItem> {
  const which = random(2);
  const session = sleep(at('22:10:00', `2026-03-0${1 + which}`), 420, {
    ...{ device: oneOf(random, devices), rank: 2, asleep_seconds: 25_000 + random(2) },
  });
  return night([session], { key: `same ${which}`, hash: randomUUID() });
}

const dayOf = (random: Random) =>
  item({
    ...{ key: `day ${random(4)}`, hash: randomUUID(), duration_seconds: 3600 + random(3) },
    samples: Array.from({ length: 1 + random(3) }, () => samplesOf(random)),
  });

function activityOf(random: Random) {
  const start = instantOf(random);
  const minutes = 30 + random(200);
  const rows = Array.from(
    { length: minutes },
    (_, index) => [start + index * minuteMs, 90 + random(80) / 4] as const,
  );
  return activity(workout(start, minutes), {
    ...{ key: oneOf(random, ['a', 'b']), hash: randomUUID(), data_type: 'activityDetails' },
    samples: [
      block(
        'heart_rate',
        rows.filter(() => random(3) > 0),
      ),
    ],
  });
}

type Item = z.input<typeof StoreItem>;

const stored =
  (provider: ProviderName, ...items: Item[]): Step =>
  ({ call, userId }) =>
    call('timeseries.store', {
      ...{ user_id: userId, provider, items, normaliser_version: 1 },
      received_ms: window.startMs,
    });

function deleted(random: Random, provider: ProviderName): Step {
  const gone = samplesOf(random);
  const at_ms = gone.at.map((ms) => gone.base_ms + ms);
  const sleeps = random(2) === 0 ? [] : [`night ${random(6)}`];
  return ({ call, userId }) =>
    call('timeseries.deleteItems', {
      ...{ user_id: userId, provider, sleeps },
      samples: devices.map((device) => ({ type: gone.type, device, at_ms })),
    });
}

function replaced(random: Random, provider: ProviderName): Step {
  const start_ms = instantOf(random);
  const end_ms = start_ms + (1 + random(30)) * hourMs;
  const items = random(2) === 0 ? [nightOf(random)] : [dayOf(random)];
  const replaces = {
    ...{ data_type: 'sleeps', series: [oneOf(random, types)], devices: null, together: [] },
    ...{ records: random(2) === 0 ? ['sleeps' as const] : [], start_ms, end_ms },
  };
  return ({ call, userId }) => call('timeseries.replace', { user_id: userId, provider, items, replaces });
}

const named = (random: Random, userId: string) => ({
  ...{ user_id: userId, provider: 'devicemaker' as const },
  key: oneOf(random, ['a', 'b']),
});

let purges = 0;

async function purged({ call, userId }: StepContext, provider: ProviderName): Promise<void> {
  purges += 1;
  const key = { user_id: userId, provider, version: purges };
  await call('timeseries.purge', key);
  await call('timeseries.reopen', key);
}

async function retained(random: Random, { database }: StepContext): Promise<void> {
  const firstDay = `2026-03-0${1 + random(2)}`;
  while ((await retainOnePart(database, firstDay, order, 50)) === 'worked');
}

/** A random change of sessions or samples. */
export function stepOf(random: Random): Step {
  const provider = oneOf(random, providers);
  const which = random(31);
  if (which < 8) return stored(provider, dayOf(random));
  if (which < 15) return stored(provider, nightOf(random), nightOf(random));
  if (which < 18) return stored('devicemaker', activityOf(random));
  if (which < 20) return deleted(random, provider);
  if (which < 22) return replaced(random, provider);
  if (which < 24) {
    const items = [random(2) === 0 ? dayOf(random) : nightOf(random)];
    const version = { normaliser_version: 2, received_ms: window.startMs, reprocess: true };
    return ({ call, userId }) => call('timeseries.store', { user_id: userId, provider, items, ...version });
  }
  if (which === 24) return ({ call, userId }) => call('timeseries.deleteWorkout', named(random, userId));
  if (which === 25) return stored(provider, item({ epoch: epoch(instantOf(random)) }));
  if (which > 27) return stored(provider, sameNight(random));
  if (which === 26) return (context) => purged(context, provider);
  return (context) => retained(random, context);
}
