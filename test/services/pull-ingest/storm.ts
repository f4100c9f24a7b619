import { randomOf } from '../../../sandbox/simulation/random.ts';
import { type PullSetting, subscribe } from './setting.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const types = ['steps', 'distance', 'heart-rate', 'daily-resting-heart-rate', 'weight', 'sleep', 'exercise'];

/** The numbers of a storm of notifications. */
export interface Storm {
  readonly users: number;
  readonly notifications: number;
  /** Hours of data that the notifications are about. */
  readonly hours: number;
  readonly seed?: string;
}

/** What a storm ended in. */
export interface StormResult {
  readonly posts: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** The most requests of an account in any minute. */
  readonly highest: number;
  readonly requests: number;
  /** Users whose stored data differs from the simulation's. */
  readonly different: readonly {
    readonly person: number;
    readonly want: string[];
    readonly have: string[];
  }[];
}

/**
 * Connects users, lets them record, change and delete data, and posts signed notifications: single ones and arrays of up to
 * 99, in any order, some twice. At the end a notification of each deleted point and of the whole time has been posted.
 */
export async function storm(
  setting: PullSetting,
  { users, notifications, hours, seed = 'storm' }: Storm,
): Promise<StormResult> {
  const { sandbox } = setting;
  const chance = randomOf(seed);
  await subscribe(setting);
  const fromMs = sandbox.world.clock.nowMs();
  const people: Person[] = [];
  for (let count = 0; count < users; count++) people.push(await connectNew(setting));
  await sandbox.advance(hours * hourMs);
  const endMs = sandbox.world.clock.nowMs();
  const changes = Array.from({ length: notifications }, () => {
    const { account } = personAt(people, chance.whole(0, people.length - 1));
    const start_ms = chance.whole(fromMs, endMs - minuteMs);
    const end_ms = Math.min(endMs, start_ms + chance.whole(1, 90) * minuteMs);
    return {
      account,
      operation: 'UPSERT',
      type: types[chance.whole(0, types.length - 1)] ?? '',
      start_ms,
      end_ms,
    };
  });
  for (const { account } of people)
    for (const type of types) {
      const whole = { account, operation: 'UPSERT', type, start_ms: fromMs, end_ms: endMs };
      changes.splice(chance.whole(0, changes.length), 0, whole);
    }
  const statuses: Record<number, number> = {};
  let posts = 0;
  for (let from = 0; from < changes.length; ) {
    const size = chance.chance(0.5) ? 1 : chance.whole(2, 99);
    const part = changes.slice(from, from + size);
    from += size;
    const copies = chance.chance(0.2) ? 2 : 1;
    if (chance.chance(0.1))
      await removePoint(
        setting,
        personAt(people, chance.whole(0, people.length - 1)).person,
        chance.whole(fromMs, endMs),
      );
    for (let copy = 0; copy < copies; copy++) {
      const status = await post(setting, part);
      statuses[status] = (statuses[status] ?? 0) + 1;
      posts += 1;
    }
  }
  await sandbox.advance(1000);
  await setting.settled();
  const different: { person: number; want: string[]; have: string[] }[] = [];
  for (const { person, userId } of people) {
    const { want, have } = await setting.compare(person, userId, fromMs);
    if (JSON.stringify(want) !== JSON.stringify(have)) different.push({ person, want, have });
  }
  const answer = await fetch(`${sandbox.access.url}/googlehealth/requests`);
  const counts: unknown = await answer.json();
  const highest = Object.values(Object(counts)).map(Number);
  return { posts, statuses, highest: Math.max(...highest), requests: highest.length, different };
}

interface Person {
  readonly person: number;
  readonly userId: string;
  readonly account: string;
}

function personAt(people: readonly Person[], index: number): Person {
  const found = people[index];
  if (found === undefined) throw new Error('there is no such person');
  return found;
}

async function connectNew(setting: PullSetting) {
  const before = setting.sandbox.world.store.state.more_people;
  const userId = await setting.connect('new');
  const person = setting.basePeople + before + 1;
  const provider = setting.sandbox.providers.find(({ name }) => name === 'googlehealth');
  const account = String(Reflect.get(provider?.account(person - 1)?.shown ?? {}, 'health_user_id'));
  return { person, userId, account };
}

/** Deletes a point at the simulation, which sends a notification of it. */
async function removePoint({ sandbox }: PullSetting, person: number, ms: number): Promise<void> {
  const start = Math.floor(ms / minuteMs) * minuteMs;
  await fetch(`${sandbox.access.url}/people/${person}/health-points/heart-rate-watch-${start}`, {
    method: 'DELETE',
  });
}

async function post({ sandbox }: PullSetting, changes: readonly object[]): Promise<number> {
  const provider = sandbox.providers.find(({ name }) => name === 'googlehealth');
  const made = provider?.post({ kind: 'changes', ...{ changes } });
  if (made === null || made === undefined) throw new Error('the simulation sends nothing');
  const answer = await fetch(made.url, { method: 'POST', headers: made.headers, body: made.body });
  await answer.arrayBuffer();
  return answer.status;
}
