import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { type ErrorCode, ServiceError } from '../../../domain/errors.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type Entry, entriesOf, UnknownItems } from '../../../services/devicemaker-ingest/work/entries.ts';
import { storeEntries } from '../../../services/devicemaker-ingest/work/store-entries.ts';
import type { Run } from '../../../services/devicemaker-ingest/work/store-run.ts';
import { patienceOf } from '../../../services/devicemaker-ingest/work/store-run.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily, dayStart } from '../../fixtures/devicemaker/dailies.ts';

type Request = Actions['timeseries.store']['params'];
type Outcomes = Actions['timeseries.store']['returns'];

/** The answers of the store: outcomes, or a failure. */
type Store = (request: Request) => ErrorCode | null;

function runOf(says: Store, again = false) {
  const requests: Request[] = [];
  const call: Call = (async (_name: string, params: Request): Promise<Outcomes> => {
    requests.push(params);
    const failure = says(params);
    if (failure !== null) throw new ServiceError(failure);
    return params.items.map(({ key }) => ({ status: 'saved', record_ids: [key], samples_written: 0 }));
    // The bus is played by a function of one action; its type covers them all.
  }) as unknown as Call;
  const signal = new AbortController().signal;
  const run: Run = {
    call,
    signal,
    receivedMs: 0,
    nowMs: (dayStart + 86_400) * 1000,
    onBroken: () => t.fail('a normaliser threw'),
    isReprocess: false,
    failed: null,
    halted: false,
    patience: patienceOf({ isRetry: again }),
    failuresInRow: 0,
  };
  return { run, requests };
}

/** Entries of users `a`, `b`, … as a payload has them. */
function entries(key: string, items: { userId: string }[]): Entry[] {
  const type = dataTypeOf(key);
  if (type === undefined) throw new Error(`no data type ${key}`);
  const users = [...new Set(items.map(({ userId }) => userId))];
  const linkedUsers = new Map(
    users.map((id) => [id, [{ connection_id: `c-${id}`, user_id: id, connectedMs: 0 }]]),
  );
  return entriesOf({ key, type, items }, linkedUsers, new UnknownItems(0));
}

const runs = (userId: string, count: number) =>
  Array.from({ length: count }, (_, n) => activity(userId, { activityId: n + 1 }));

const keysOf = ({ items }: Request) => items.map(({ key }) => key);
const has =
  (key: string): Store =>
  (request) =>
    keysOf(request).includes(key) ? 'VALIDATION_FAILED' : null;
const statuses = (all: readonly Entry[]) => all.map(({ status }) => status);

t.test("sends one user's items in their order, in calls of bounded size", async (t) => {
  const days = Array.from({ length: 9 }, (_, n) =>
    daily('a', 24, { startTimeInSeconds: dayStart - n * 86_400 }),
  );
  const all = [...entries('dailies', days), ...entries('activities', runs('a', 450))];
  const { run, requests } = runOf(() => null);
  await storeEntries(run, all);
  t.same(requests.flatMap(keysOf), [
    ...days.map(({ startTimeInSeconds }) => String(startTimeInSeconds)),
    ...runs('a', 450).map(({ activityId }) => String(activityId)),
  ]);
  for (const request of requests) {
    t.ok(request.items.length <= 200);
    t.ok(Buffer.byteLength(JSON.stringify(request.items)) < 256 * 1024);
  }
  t.same(new Set(statuses(all)), new Set(['saved']));
});

t.test('a refused item does not affect the others', async (t) => {
  const all = entries('activities', runs('a', 5));
  const { run, requests } = runOf(has('3'));
  await storeEntries(run, all);
  t.same(statuses(all), ['saved', 'saved', 'validation_error', 'saved', 'saved']);
  t.same(all[2]?.problems, [{ field: '', reason: 'could not be stored' }]);
  t.same(requests.map(keysOf), [['1', '2', '3', '4', '5'], ['1'], ['2'], ['3'], ['4'], ['5']]);
  t.equal(run.failed, null);
});

t.test('an item whose store call gets no answer blocks the others only until the next attempt', async (t) => {
  const poisoned = () => [
    ...entries('activities', runs('a', 9)),
    ...Array.from({ length: 12 }, (_, n) => entries('activities', runs(`user-${n}`, 1))).flat(),
  ];
  const says: Store = (request) =>
    request.user_id === 'a' && keysOf(request).includes('2') ? 'SERVICE_TIMEOUT' : null;
  const [first, later] = [poisoned(), poisoned()];
  const { run } = runOf(says);
  await storeEntries(run, first);
  t.match(run, { failed: 'SERVICE_TIMEOUT', halted: true });
  const { run: again } = runOf(says, true);
  await storeEntries(again, later);
  t.match(again, { failed: 'SERVICE_TIMEOUT', halted: false });
  t.same(
    later
      .filter(({ status }) => status === null)
      .map(({ linkedUser, index }) => [linkedUser?.user_id, index]),
    [['a', 1]],
  );
});

t.test('in the background too, an unavailable store stops the run and no item is blamed', async (t) => {
  const all = Array.from({ length: 30 }, (_, n) => entries('activities', runs(`user-${n}`, 2))).flat();
  const { run, requests } = runOf(() => 'SERVICE_UNAVAILABLE', true);
  await storeEntries(run, all);
  t.ok(requests.length < 16, `${requests.length} calls`);
  t.match(run, { failed: 'SERVICE_UNAVAILABLE', halted: true });
});

t.test('starts no call once the store is unavailable', async (t) => {
  const all = Array.from({ length: 30 }, (_, n) => entries('activities', runs(`user-${n}`, 2))).flat();
  const { run, requests } = runOf(() => 'SERVICE_UNAVAILABLE');
  await storeEntries(run, all);
  // One call of each of the four users that are processed at once, fewer if the first failure comes before the others.
  t.ok(requests.length >= 1 && requests.length <= 4, `${requests.length} calls`);
  t.same(new Set(statuses(all)), new Set([null]));
  t.match(run, { failed: 'SERVICE_UNAVAILABLE', halted: true });
});

t.test('a stop ends the work between two calls', async (t) => {
  const all = entries('activities', runs('a', 450));
  const stop = new AbortController();
  const { run, requests } = runOf(() => {
    stop.abort();
    return null;
  });
  await storeEntries({ ...run, signal: stop.signal }, all);
  t.equal(requests.length, 1);
  t.equal(statuses(all).filter((status) => status === 'saved').length, 200);
});

t.test('an error of the item source ends the run, and all is retried', async (t) => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((user) => entries('activities', runs(user, 1)));
  const { run, requests } = runOf(() => null);
  await storeEntries(run, all, async function* () {
    yield* [];
    throw new ServiceError('SERVICE_TIMEOUT');
  });
  t.match(run, { failed: 'SERVICE_TIMEOUT', halted: true });
  t.same(requests, []);
  t.same(new Set(statuses(all)), new Set([null]));
});
