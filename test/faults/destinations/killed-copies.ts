import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { startDestinations } from '../../services/destinations/setting.ts';
import {
  activity,
  block,
  day,
  item,
  night,
  sleep as slept,
  workout,
} from '../../services/timeseries/items.ts';
import { testSettings } from '../../support/servers/broker.ts';
import { seeded } from '../support/random.ts';

type Services = Awaited<ReturnType<typeof startDestinations>>;

/** How often a process is killed, and its settings. */
export interface KillChoice {
  readonly kills: number;
  readonly seed: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Called after each kill. */
  readonly onKill?: () => Promise<void>;
}

const pace = { leaseMs: 1500, pollMs: 50, idleMs: 50, retryMs: [200], watchMs: 1000, rowsPerCommit: 300 };
const file = join(import.meta.dirname, '../../services/destinations/destinations-process.ts');

/**
 * Kills the process that writes destinations again and again, while data of all kinds changes. A user is deleted meanwhile. Then waits
 * until the destinations have everything. Returns the deleted user and the number of changes.
 */
export async function killCopies(
  t: Test,
  s: Services,
  ids: readonly string[],
  { kills, seed, settings, onKill }: KillChoice,
): Promise<{ readonly leaving: string; readonly changes: number }> {
  const random = seeded(seed);
  const users = [await s.user(), await s.user(), await s.user(), await s.user()];
  const [leaving = ''] = users;
  const state = { ends: false, changes: 0 };
  const changing = changeUntilEnd(s, random, users, state);
  const choice = JSON.stringify({ settings: testSettings({ databaseUrl: s.database.url, settings }), pace });
  const begin = () => spawn(process.execPath, [file, choice], { stdio: ['ignore', 'pipe', 'ignore'] });
  for (let kill = 0; kill < kills; kill += 1) {
    const child = begin();
    const exit = once(child, 'exit');
    await once(child.stdout, 'data'); // a busy machine takes seconds for a start
    await sleep(1000 + random.below(3000));
    child.kill('SIGKILL');
    await exit;
    await onKill?.();
    if (kill !== Math.floor(kills / 2)) continue;
    users.splice(0, 1, users[1] ?? '');
    await s.call('users.remove', { user_id: leaving });
    await s.call('destinations.forgetUser', { user_id: leaving });
  }
  state.ends = true;
  await changing;
  const last = begin();
  t.teardown(() => last.kill('SIGKILL'));
  for (const id of ids) await s.written(id);
  return { leaving, changes: state.changes };
}

interface Changing {
  ends: boolean;
  changes: number;
}

async function changeUntilEnd(
  s: Services,
  random: ReturnType<typeof seeded>,
  users: readonly string[],
  state: Changing,
): Promise<void> {
  while (!state.ends || state.changes % 10 !== 0) {
    await changeOne(s, random, state.ends ? users.slice(1) : users, state);
    await sleep(random.below(60));
  }
}

async function changeOne(
  s: Services,
  random: ReturnType<typeof seeded>,
  users: readonly string[],
  state: Changing,
): Promise<void> {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const user = random.pick(users);
  const start = today - random.pick([0, 1, 2, 30, 31, 250]) * dayMs + random.below(23) * hourMs;
  const values = Array.from({ length: 1 + random.below(120) }, (_, at): [number, number] => [
    start + at * minuteMs,
    50 + random.below(90),
  ]);
  const key = `key ${random.below(12)}`;
  const date = new Date(start).toISOString().slice(0, 10);
  const hash = `${state.changes}`;
  const totals = day(date, { steps: state.changes });
  const items = [
    item({ samples: [block(random.pick(['heart_rate', 'steps', 'weight'] as const), values)] }),
    activity(workout(start, 30, { name: `Run ${state.changes}` }), { key, hash }),
    night([slept(start, 300 + random.below(100))], { key, hash }),
    item({ key: date, hash, duration_seconds: 3600 + state.changes, day: totals }),
  ];
  await s.store(user, [random.pick(items)]).catch((error: unknown) => {
    // The user was deleted meanwhile.
    if (users.includes(user)) throw error;
  });
  if (random.chance(0.1))
    await s.database.query(
      `delete from timeseries.sample x using timeseries.series s where s.id = x.series_id and s.user_id = $1
         and x.ts between to_timestamp($2) and to_timestamp($2) + interval '20 minutes'`,
      [user, start / 1000],
    );
  state.changes += 1;
}
