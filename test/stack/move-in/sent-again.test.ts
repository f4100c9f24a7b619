import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { type Item, isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { dayMs, formatInstant, formatOffset } from '../../../domain/time/time.ts';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { isPulled, type PulledName, pullOf } from '../../../providers/all.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import { itemOf } from '../../../services/activitynet-ingest/work/fetch-activity.ts';
import { storePart } from '../../../services/pull-ingest/work/store-part.ts';
import { sampleItems } from '../../../stack/move-in/rules/items.ts';
import type { Mapped } from '../../../stack/move-in/rules/mapped.ts';
import { recordItem } from '../../../stack/move-in/rules/records.ts';
import type { RecordRow, SourceRow } from '../../../stack/move-in/rules/rows.ts';
import { providerOf } from '../../../stack/move-in/rules/sources.ts';
import { recordedFixtures } from '../../fixtures/recorded/all.ts';
import { installApp, watch } from '../../services/phone-ingest/app.ts';
import { startApi } from '../../support/api.ts';
import { definitions, record, sample, source, total } from './rows.ts';

// A record is moved, then its provider sends it again: the body that was recorded from its API, through what its ingest does.

const api = await startApi(t);
const nowMs = Date.now();

/** What was recorded of a type, its first item. */
function recordedOf(name: string, type: string): Item {
  const item = recordedFixtures.find((one) => one.name === name)?.recorded[type]?.[0]?.items[0];
  if (!isItem(item)) throw new Error(`nothing is recorded of ${type} of ${name}`);
  return item;
}

const headers = { 'devicemaker-client-id': 'a-client' };

/** How each provider's body becomes items, and is stored. */
interface Sender {
  readonly items: (type: string, body: Item) => readonly StoreItem[];
  readonly send: (userId: string, type: string, body: Item) => Promise<unknown>;
}

const devicemaker: Sender = {
  items(type, body) {
    const read = dataTypeOf(type)?.normalise(body, nowMs);
    if (read?.ok !== true) throw new Error(`${type} is not read`);
    return [read.item];
  },
  async send(userId, type, body) {
    const account = `account ${userId}`;
    const [connected] = await api.call('users.connections', { user_id: userId });
    const link = { user_id: userId, provider: 'devicemaker' as const, provider_user_id: account };
    if (connected === undefined) await api.call('users.connect', link);
    const answer = await api.ask('/api/v1/webhooks/devicemaker/push', {
      headers,
      body: { [type]: [{ ...body, userId: account }] },
    });
    if (answer.status !== 200) throw new Error(answer.text);
  },
};

const activitynet: Sender = {
  items(_, body) {
    const activity = normaliseActivity(body, nowMs);
    if (activity === null) throw new Error('the activity is not read');
    return [itemOf({ object_id: String(valueAt(body, ['id'])) }, activity)];
  },
  send: (userId, type, body) =>
    api.call('timeseries.store', {
      user_id: userId,
      provider: 'activitynet',
      items: [...activitynet.items(type, body)],
    }),
};

function pulled(provider: PulledName): Sender {
  const typeNamed = (name: string) => {
    const type = pullOf(provider).types[name];
    if (type === undefined) throw new Error(`${provider} has no type ${name}`);
    return type;
  };
  const read = (name: string, body: Item) =>
    typeNamed(name).normalise({ records: { list: [body] }, span: null, nowMs });
  return {
    items: (name, body) => read(name, body).items,
    send(userId, name, body) {
      const part = read(name, body);
      const starts = part.items.flatMap(({ workout, sleeps: [night], day }) => {
        const record = workout ?? night ?? day;
        return record == null ? [] : [record.start_ms];
      });
      const span = { startMs: Math.min(...starts) - dayMs, endMs: Math.max(...starts) + dayMs };
      const account = { provider, connection_id: randomUUID(), user_id: userId };
      return storePart(api.call, account, { name, type: typeNamed(name), span, part, hash: 'read' });
    },
  };
}

function senderOf(name: string): Sender {
  if (name === 'devicemaker') return devicemaker;
  if (name === 'activitynet') return activitynet;
  const provider = providerOf({ provider: name, source: null })?.provider ?? name;
  return pulled(
    z.custom<PulledName>((one) => typeof one === 'string' && isPulled(one as never)).parse(provider),
  );
}

type Kind = 'workout' | 'sleep';

/** The row that Open Wearables has of a record that a provider sent. */
function rowOf(kind: Kind, item: StoreItem, fields: Partial<RecordRow>): RecordRow {
  const found = kind === 'workout' ? item.workout : item.sleeps[0];
  if (found == null) throw new Error(`the item has no ${kind}`);
  return record(kind, {
    id: randomUUID(),
    start_datetime: formatInstant(found.start_ms),
    end_datetime: formatInstant(found.end_ms),
    zone_offset: formatOffset(found.zone_offset_minutes),
    type: item.workout?.type ?? null,
    ...fields,
  });
}

const move = async (userId: string, { provider, items }: Mapped) => {
  if (provider === null) throw new Error('nothing is moved');
  return api.call('timeseries.store', { user_id: userId, provider, items });
};

const list = async (kind: Kind, userId: string) => {
  const range = { user_id: userId, start_date: '2020-01-01', end_date: '2030-01-01' };
  const { data } = await api.call(kind === 'workout' ? 'timeseries.workouts' : 'timeseries.sleeps', range);
  return data.map(({ id }) => id);
};

const idOf = (body: Item) => String(valueAt(body, ['id']));
const nameOf = (body: Item) =>
  String(valueAt(body, ['name']))
    .split('/')
    .at(-1) ?? '';

interface Case {
  readonly theirs: SourceRow;
  readonly ours: string;
  readonly kind: Kind;
  readonly type: string;
  /** The id that their record has, of the body. */
  readonly externalId: (body: Item) => string | null;
}

const cases: readonly Case[] = [
  {
    theirs: source('garmin', { device_model: 'Forerunner 965' }),
    ours: 'devicemaker',
    kind: 'workout',
    type: 'activities',
    externalId: (body) => String(valueAt(body, ['activityId'])),
  },
  {
    theirs: source('garmin'),
    ours: 'devicemaker',
    kind: 'sleep',
    type: 'sleeps',
    externalId: (body) => String(valueAt(body, ['summaryId'])),
  },
  { theirs: source('strava'), ours: 'activitynet', kind: 'workout', type: 'activity', externalId: idOf },
  { theirs: source('oura'), ours: 'oura', kind: 'workout', type: 'workout', externalId: idOf },
  { theirs: source('oura'), ours: 'oura', kind: 'sleep', type: 'sleep', externalId: idOf },
  { theirs: source('whoop'), ours: 'whoop', kind: 'workout', type: 'workout', externalId: idOf },
  { theirs: source('whoop'), ours: 'whoop', kind: 'sleep', type: 'sleep', externalId: idOf },
  { theirs: source('polar'), ours: 'polar', kind: 'workout', type: 'activities', externalId: idOf },
  {
    theirs: source('polar'),
    ours: 'polar',
    kind: 'sleep',
    type: 'sleep',
    externalId: (body) => String(valueAt(body, ['date'])),
  },
  {
    theirs: source('suunto'),
    ours: 'suunto',
    kind: 'sleep',
    type: 'sleep',
    externalId: (body) => String(valueAt(body, ['entryData', 'SleepId'])),
  },
  {
    theirs: source('google', { source: 'google_health_api' }),
    ours: 'googlehealth',
    kind: 'workout',
    type: 'exercise',
    externalId: nameOf,
  },
  {
    theirs: source('google', { source: 'google_health_api' }),
    ours: 'googlehealth',
    kind: 'sleep',
    type: 'sleep',
    externalId: nameOf,
  },
  { theirs: source('withings'), ours: 'withings', kind: 'workout', type: 'workouts', externalId: idOf },
  { theirs: source('withings'), ours: 'withings', kind: 'sleep', type: 'sleep', externalId: idOf },
];

for (const { theirs, ours, kind, type, externalId } of cases)
  t.test(`a ${kind} of ${theirs.provider} that is sent again is the moved one`, async (t) => {
    const { id: userId } = await api.call('users.create', {});
    const sender = senderOf(ours);
    const body = recordedOf(ours, type);
    const [live] = sender.items(type, body);
    if (live === undefined) throw new Error('the body makes no item');
    const row = rowOf(kind, live, { external_id: externalId(body) });
    const mapped = recordItem(theirs, row, nowMs);
    t.match(mapped.items, [{ data_type: live.data_type, key: live.key }]);
    t.match(await move(userId, mapped), [{ status: 'saved', record_ids: [row.id] }]);
    await sender.send(userId, type, body);
    t.same(await list(kind, userId), [row.id]);
    t.match(await move(userId, mapped), [{ status: 'stale' }]);
    await sender.send(userId, type, body);
    t.same(await list(kind, userId), [row.id]);
  });

/** What a user has after a body was sent, whose records were moved in before as `fields` say. */
async function sentAfterMove(
  { theirs, ours, kind, type }: Omit<Case, 'externalId'>,
  body: Item,
  fields: Partial<RecordRow>,
): Promise<{ row: RecordRow; listed: string[] }> {
  const { id: userId } = await api.call('users.create', {});
  const sender = senderOf(ours);
  const live = sender.items(type, body).find((item) => (kind === 'workout' ? item.workout : item.sleeps[0]));
  if (live === undefined) throw new Error('the body makes no item');
  const row = rowOf(kind, live, fields);
  await move(userId, recordItem(theirs, row, nowMs));
  await sender.send(userId, type, body);
  return { row, listed: await list(kind, userId) };
}

t.test('without the id of a workout, the overlap decides: one is listed', async (t) => {
  const run = { theirs: source('garmin', { device_model: 'Forerunner 965' }), ours: 'devicemaker' } as const;
  const body = recordedOf('devicemaker', 'activities');
  const { listed } = await sentAfterMove({ ...run, kind: 'workout', type: 'activities' }, body, {});
  t.equal(listed.length, 1);
});

t.test('the list of a provider decides which of its workouts are there', async (t) => {
  const workout = { theirs: source('suunto'), ours: 'suunto', kind: 'workout', type: 'workout' } as const;
  const body = recordedOf('suunto', 'workout');
  const { row, listed } = await sentAfterMove(workout, body, { external_id: '17' });
  t.equal(listed.length, 1);
  t.notSame(listed, [row.id]);
});

t.test('a night of the ring is that of its day', async (t) => {
  const night = { theirs: source('ultrahuman'), ours: 'ultrahuman', kind: 'sleep', type: 'metrics' } as const;
  const begin = Date.UTC(2026, 2, 20, 22) / 1000;
  const sleep = { bedtime_start: begin, bedtime_end: begin + 27_000, sleep_score: { score: 84 } };
  const body = { date: '2026-03-21', latest_time_zone: 'Europe/Berlin', sleep };
  const { row, listed } = await sentAfterMove(night, body, { external_id: '2026-03-21' });
  t.same(listed, [row.id]);
});

t.test('a workout of a phone that is uploaded again is the moved one', async (t) => {
  const app = await installApp(api);
  const startDate = '2026-03-01T08:00:00Z';
  const workout = {
    id: randomUUID(),
    type: 'running',
    startDate,
    endDate: '2026-03-01T09:00:00Z',
    source: watch,
  };
  const theirs = source('apple', { device_model: watch.deviceModel, original_source_name: watch.name });
  const row = record('workout', {
    external_id: workout.id,
    type: 'running',
    start_datetime: startDate,
    end_datetime: workout.endDate,
  });
  await move(app.userId, recordItem(theirs, { ...row, id: randomUUID() }, nowMs));
  const [moved] = await list('workout', app.userId);
  t.match(await app.sync({ workouts: [workout] }), { stored: 1 });
  t.same(await list('workout', app.userId), [moved]);
});

const dayTypes = [
  ['garmin', 'devicemaker', 'dailies'],
  ['polar', 'polar', 'days'],
  ['oura', 'oura', 'daily_activity'],
] as const;

for (const [theirs, ours, type] of dayTypes)
  t.test(`the ${type} of ${theirs} replace moved totals`, async (t) => {
    const { id: userId } = await api.call('users.create', {});
    const body = recordedOf(ours, type);
    const sender = senderOf(ours);
    const day = sender.items(type, body)[0]?.day;
    if (day == null) throw new Error('the body makes no day');
    const offset = day.zone_offset_minutes ?? 60;
    const rows = [total('steps', formatInstant(day.start_ms), '17', formatOffset(offset))];
    await move(userId, sampleItems(source(theirs), rows, definitions, nowMs));
    const read = () =>
      api.call('timeseries.activityDays', {
        user_id: userId,
        first_date: '2020-01-01',
        last_date: '2030-01-01',
        after: null,
        order: 'asc',
        limit: 10,
        parts: false,
      });
    t.match((await read()).days, [{ date: day.date, sources: [{ total: { steps: 17 } }] }]);
    await sender.send(userId, type, body);
    const { days } = await read();
    t.match(days, [{ date: day.date, sources: [{ total: { steps: day.steps } }] }]);
    t.equal(days.length, 1);
    t.match(await move(userId, sampleItems(source(theirs), rows, definitions, nowMs)), [
      { status: type === 'daily_activity' ? 'saved' : 'stale' },
    ]);
    t.match((await read()).days, [{ date: day.date, sources: [{ total: { steps: day.steps } }] }]);
  });

t.test('a sample that is sent again is the moved one', async (t) => {
  const { id: userId } = await api.call('users.create', {});
  const body = recordedOf('devicemaker', 'dailies');
  const start = Number(valueAt(body, ['startTimeInSeconds'])) * 1000;
  const rest = String(valueAt(body, ['restingHeartRateInBeatsPerMinute']));
  const rows = [sample('resting_heart_rate', formatInstant(start), rest, { zone_offset: '+02:00' })];
  await move(userId, sampleItems(source('garmin'), rows, definitions, nowMs));
  await devicemaker.send(userId, 'dailies', body);
  const { data } = await api.call('timeseries.samples', {
    user_id: userId,
    start_time: '2020-01-01',
    end_time: '2030-01-01',
    types: ['resting_heart_rate'],
  });
  t.match(data, [{ timestamp: formatInstant(start), value: Number(rest) }]);
  t.equal(data.length, 1);
});
