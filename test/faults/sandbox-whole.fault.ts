import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { userTraits } from '../../sandbox/simulation/simulated-users.ts';
import { readLedger } from '../sandbox/compare.ts';
import { ask } from '../support/api.ts';
import { comparePerson } from './support/sandbox-compare.ts';

t.setTimeout(0);

const root = join(import.meta.dirname, '../..');

/** The start page and the following lines. */
interface Started {
  readonly places: { readonly apiUrl: string; readonly apiKey: string; readonly sandboxUrl: string };
  readonly history: string;
  readonly seconds: number;
}

// The commands as typed in an empty folder.
async function npmStart(t: Test): Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pulsebus-start-'));
  chmodSync(dataDir, 0o711); // the database server's account walks through it
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const { TEST_DATABASE_URL: _, TEST_NATS_URL: __, ...rest } = process.env;
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...rest, DATA_DIR: join(dataDir, 'data'), PORT: '0', RATE_LIMIT_API_KEY: '1000000' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.teardown(() => stop(child));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (/Backfill complete|backfill is not complete/.test(line)) break;
  }
  const text = lines.join('\n');
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  return {
    places: {
      apiUrl: found(/API {12}(\S+)\/api\/v1/),
      apiKey: readFileSync(found(/KEY=\$\(cat '([^']+)'/), 'utf8').trim(),
      sandboxUrl: found(/Sandbox {8}(\S+)/),
    },
    history: lines.at(-1)?.trim() ?? '',
    seconds: (performance.now() - began) / 1000,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  await ended;
}

const Users = z.object({
  items: z.array(z.object({ id: z.string(), external_user_id: z.string().nullable() })),
});

t.test('npm start from an empty folder: six users, 30 days, every item is stored', async (t) => {
  const { places, history, seconds } = await npmStart(t);
  t.comment(`${seconds.toFixed(1)} s from npm start to the end of all history; ${history}`);
  t.match(history, /Backfill complete/);
  const headers = { 'x-api-key': places.apiKey };
  const listed = await ask(places.apiUrl, '/api/v1/users?limit=100', { headers });
  const users = new Map(Users.parse(listed.body).items.map((user) => [user.external_user_id, user.id]));
  const types = new Map<string, number>();
  let [samples, workouts] = [0, 0];
  for (const [index] of userTraits.entries()) {
    const person = index + 1;
    const userId = users.get(`sandbox-${person}`) ?? '';
    samples += await comparePerson(t, places, { person, userId });
    const { devicemaker, activitynet } = await readLedger(places.sandboxUrl, person);
    for (const [type, n] of Object.entries(devicemaker?.items ?? {}))
      types.set(type, (types.get(type) ?? 0) + n);
    workouts += activitynet?.activities.length ?? 0;
    t.ok((devicemaker?.days.length ?? 0) >= 30, 'thirty days and more');
  }
  t.same([...types.keys()].sort(), [...dataTypes].sort(), 'all 16 data types');
  t.ok(workouts > 0, 'activities of the other provider too');
  const sum = [...types.values()].reduce((all, n) => all + n, 0);
  t.comment(`${sum} items, ${workouts} activities of the platform, ${samples} samples compared`);
});
