import t from 'tap';
import { eventTypes } from '../../contracts/webhooks/events.ts';
import { withoutOneObject, wrongIds, wrongInFeed, wrongMessages } from './outbox/checks.ts';
import { exportedSeries, unreported, wrongCopies } from './outbox/compare-series.ts';
import { comparable, differences, type Order, stateOf } from './outbox/received-state.ts';
import type { Arrival } from './outbox/receiver.ts';
import { loyal, runOutbox } from './outbox/run-outbox.ts';
import { readStored } from './outbox/stored-state.ts';

/**
 * kill -9 of each service while an application and two providers make changes of all kinds. Endpoints receive them, and
 * the test processes their messages late, out of order and some twice. OUTBOX_CHANGES is the least number of changes,
 * OUTBOX_KILLS that of kills. OUTBOX_SEED repeats the random choices; the order of events still differs.
 */
t.setTimeout(0);

const choice = {
  changes: Number(process.env.OUTBOX_CHANGES ?? 2000),
  kills: Number(process.env.OUTBOX_KILLS ?? 20),
  seed: Number(process.env.OUTBOX_SEED ?? Date.now() % 1_000_000),
};
t.comment(`OUTBOX_SEED=${choice.seed}`);

const run = await runOutbox(t, choice);
const { processed } = run.receiver;
const { changes } = run.feed;
const { deleted, made } = run.application;
// Everything is read before the first assertion: tap ends a file that waits after one.
const logged = await run.database.query<{ id: string }>('select id from changes.change order by id');
const stored = await readStored(run.client);
const users = [...stored.fields.keys()].filter((key) => key.startsWith('user ')).map((key) => key.slice(5));
const series = new Map<string, Awaited<ReturnType<typeof exportedSeries>>>();
for (const userId of users) series.set(userId, await exportedSeries(run, userId));

const of = (endpoint: string) => processed.filter((one) => one.endpoint === endpoint);
const isMade = (userId: string) => made.has(userId);

function none(wrong: readonly string[], title: string): void {
  t.same(wrong.slice(0, 15), [], title);
  if (wrong.length > 15) t.comment(`${title}: ${wrong.length} in all`);
}

/** The objects in which what an endpoint knows differs from the database. Of backfills the API has the newest only. */
function wrongState(name: string, order: Order, arrivals: readonly Arrival[] = of(name)): string[] {
  const isWhole = name === 'whole';
  const wanted = isWhole ? stored.records : stored.fields;
  const received = [...stateOf(arrivals, order, isWhole)].filter(
    ([key]) => !key.startsWith('backfill') || wanted.has(key),
  );
  return differences(comparable(new Map(received), isMade), comparable(wanted, isMade));
}

const types = Map.groupBy(changes, ({ type }) => type);
t.comment(
  JSON.stringify({
    ...{ ...choice, killed: run.killed, minutes: run.minutes, changes: changes.length },
    ...{ users: users.length, deleted: deleted.size, objects: stored.records.size, reads: run.copy.reads },
    ...{ messages: new Set(processed.map(({ id }) => id)).size, processed: processed.length },
    answers: Object.fromEntries(run.receiver.answers),
    types: Object.fromEntries([...types].map(([type, all]) => [type, all.length])),
  }),
);

t.ok(changes.length >= choice.changes);
// Most connections of a provider must fail for an incident.
const missing = eventTypes.filter((type) => !types.has(type) && !type.startsWith('provider.incident.'));
none(missing, 'changes of all kinds were made');
t.ok(run.copy.reads > 0, 'spans of series were read');
none(run.receiver.complaints, 'every signature is valid');
none(wrongInFeed(changes, deleted), 'the feed has each change of a user once, without gaps');
const readIds = new Set(changes.map(({ id }) => id));
none(
  logged.filter(({ id }) => !readIds.has(id)).map(({ id }) => id),
  'the feed has every change of the log',
);
none(wrongIds(processed), 'each change has one webhook-id at each endpoint');
t.ok(processed.length > new Set(processed.map(({ id }) => id)).size, 'messages arrive twice');
const copied = users.filter(isMade).flatMap((id) => wrongCopies(run.copy, id, series.get(id) ?? new Map()));
none(copied, 'series whose reported spans are read again are those of the database');
const disabled = types.get('webhook_endpoint.disabled') ?? [];
t.match(disabled, [{ data: { endpoint_id: run.ids.get('leaving'), reason: 'gone' } }]);

for (const name of loyal) {
  const own = of(name);
  none(wrongMessages(own, changes, deleted), `${name}: no change is lost`);
  none(wrongState(name, 'highest sequence'), `${name}: the state is that of the database`);
  const outside = [...series.values()].flatMap((one) => unreported(own, one));
  none(outside, `${name}: every sample is in a span that was reported`);
  const deletions = own.filter(({ type }) => type === 'user.deleted').map(({ data }) => data.user_id);
  const untold = [...deleted].filter((userId) => !deletions.includes(userId));
  none(untold, `${name}: every deletion of a user is reported`);
  const isTold = own.some(({ type }) => type === 'webhook_endpoint.disabled');
  t.ok(isTold, `${name}: the disabling of another endpoint is reported`);
  t.ok(wrongState(name, 'arrival').length > 0, `${name}: the order of arrival would be found`);
}

for (const kind of ['user', 'connection', 'workout', 'sleep', 'activity_summary']) {
  const name = kind === 'activity_summary' ? 'whole' : 'thin';
  const without = withoutOneObject(of(name), kind, (key) => stored.fields.has(key));
  if (without === undefined) t.comment(`every ${kind} changed more than once`);
  else
    t.ok(
      wrongState(name, 'highest sequence', without).length > 0,
      `a lost message of a ${kind} would be found`,
    );
}
const lost = of('thin').findLast(({ data }) => users.includes(String(data.user_id)));
const without = of('thin').filter(({ id }) => id !== lost?.id);
t.equal(wrongMessages(without, changes, deleted).length, 1, 'a lost message would be found');
