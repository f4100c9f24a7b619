import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs } from '../../../domain/time/time.ts';
import { retainOnePart } from '../../../services/timeseries/work/retention.ts';
import { activity, block, item, workout } from '../../services/timeseries/items.ts';
import { modelTypes } from '../../services/timeseries/model.ts';
import { type Setting, withUser } from '../../services/timeseries/setting.ts';

/** Two databases that receive the same operations. Only the first is compressed. */
export interface ComparedDatabases {
  readonly both: readonly [compressed: Setting, plain: Setting];
  /** The users of each, in the same order. */
  readonly users: [Setting, Setting][];
}

const firstMs = Date.parse('2026-01-05T00:00:00Z');
const spanMinutes = 55 * 1440;
const devices = ['Watch 7', 'Phone 1'];
const order = { providers: ['devicemaker', 'activitynet'], deviceTypes: [] };

/** A number in [0, below). */
export type Pick = (below: number) => number;

/** Adds a user to both. */
export async function addUser({ both, users }: ComparedDatabases): Promise<void> {
  const made: Setting[] = [];
  for (const { database, call } of both)
    made.push(withUser(database, call, (await call('users.create', {})).id));
  const [a, b] = made;
  if (a !== undefined && b !== undefined) users.push([a, b]);
}

function samples(pick: Pick) {
  const step = [1, 1, 5, 60][pick(4)] ?? 1;
  const first = pick(spanMinutes);
  const rows = Array.from({ length: 1 + pick(250) }, (_, index) => {
    return [firstMs + (first + index * step) * minuteMs, 40 + pick(90)] as const;
  });
  const zone_offset_minutes = [0, 60, -480, 345][pick(4)] ?? 0;
  return block(modelTypes[pick(modelTypes.length)] ?? 'heart_rate', rows, {
    device: devices[pick(devices.length)] ?? '',
    zone_offset_minutes,
  });
}

/** Stores samples: new ones, and others in place of those of the same times. */
export async function store(pair: readonly Setting[], pick: Pick): Promise<void> {
  const items = [item({ samples: Array.from({ length: 1 + pick(3) }, () => samples(pick)) })];
  for (const { store } of pair) await store(items);
}

/** Stores an activity twice: its second version has other samples. */
export async function replace(pair: readonly Setting[], pick: Pick): Promise<void> {
  const startMs = firstMs + pick(spanMinutes) * minuteMs;
  const key = randomUUID();
  for (const version of [0, 1]) {
    const rows = Array.from({ length: 40 }, (_, index) => {
      return [startMs + (index + version * 15) * minuteMs, 60 + pick(90)] as const;
    });
    const fields = { key, hash: `${key} ${version}`, samples: [block('heart_rate', rows)] };
    const one = activity(workout(startMs, 60), fields);
    for (const { store } of pair) await store([one]);
  }
}

const someSamples = `
  select y.name as type, s.device, (extract(epoch from x.ts) * 1000)::float8 as ms
  from timeseries.series s join timeseries.series_type y on y.id = s.type_id join timeseries.sample x on x.series_id = s.id
  where s.user_id = $1 order by x.ts, s.type_id, s.device offset $2 limit $3`;

interface Stored {
  readonly type: (typeof modelTypes)[number];
  readonly device: string;
  readonly ms: number;
}

/** Deletes single samples: as this version does, or as the version before did, with a join. */
export async function remove(pair: readonly Setting[], pick: Pick, isOld: boolean): Promise<void> {
  const [first] = pair;
  if (first === undefined) return;
  const values = [first.userId, pick(2000), 1 + pick(60)];
  const found = await first.database.query<Stored>(someSamples, values);
  for (const { database, call, userId } of pair)
    if (isOld) await removeAsBefore({ database, userId }, found);
    else
      await call('timeseries.deleteItems', {
        user_id: userId,
        provider: 'devicemaker',
        sleeps: [],
        samples: found.map(({ type, device, ms }) => ({ type, device, at_ms: [ms] })),
      });
}

async function removeAsBefore(
  { database, userId }: globalThis.Pick<Setting, 'database' | 'userId'>,
  found: readonly Stored[],
) {
  await database.query(
    `delete from timeseries.sample x
     using timeseries.series s, timeseries.series_type y, unnest($2::text[], $3::text[], $4::float8[]) t (type, device, ms)
     where s.user_id = $1 and y.id = s.type_id and y.name = t.type and s.device = t.device
       and x.series_id = s.id and x.ts = to_timestamp(t.ms / 1000)`,
    [userId, found.map(({ type }) => type), found.map(({ device }) => device), found.map(({ ms }) => ms)],
  );
}

/** Erases a user of both, and adds another one. */
export async function erase(compared: ComparedDatabases, index: number): Promise<void> {
  const [pair] = compared.users.splice(index, 1);
  for (const { call, userId } of pair ?? []) await call('timeseries.erase', { user_id: userId });
  for (const { database } of compared.both)
    while ((await database.query('select from timeseries.tombstone where finished_at is null')).length > 0)
      await sleep(20);
  await addUser(compared);
}

/** Deletes all samples of local days before `firstDay`. */
export async function retain({ both }: ComparedDatabases, firstDay: string): Promise<void> {
  for (const { database } of both) {
    let part = 'worked';
    while (part === 'worked') part = await retainOnePart(database, firstDay, order, 300);
  }
}

const tables = {
  sample: 'x.ts, x.value, x.zone_offset_minutes',
  sample_hour: 'x.bucket, x.n, x.sum, x.min, x.max, x.last, x.last_ts, x.mask, x.n1, x.n5, x.n15',
  sample_day: 'x.bucket, x.n, x.n1, x.n5, x.n15, x.n60',
  sample_local_day: 'x.date, x.n, x.sum, x.min, x.max',
};

/** The rows of a side, with users by their place. */
export async function contentOf(
  { users }: ComparedDatabases,
  side: 0 | 1,
): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  const [{ database } = { database: undefined }] = users.map((pair) => pair[side]);
  const ids = users.map((pair) => pair[side].userId);
  for (const [table, columns] of Object.entries(tables))
    content[table] =
      (await database?.query(
        `select array_position($1::uuid[], s.user_id) as person, s.type_id, s.device, ${columns}
         from timeseries.series s join timeseries.${table} x on x.series_id = s.id
         where s.user_id = any($1) order by 1, 2, 3, 4`,
        [ids],
      )) ?? [];
  return content;
}
