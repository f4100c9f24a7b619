import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { migrateUp } from '../../migrations/migrate.ts';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import timeseries from '../../services/timeseries/timeseries.service.ts';
import { generatedSecrets } from '../../stack/database/secrets.ts';
import { run } from '../../stack/machine/processes.ts';
import { defaultStackDir } from '../../stack/machine/unprivileged.ts';
import { type Stack, startStack } from '../../stack/servers/stack.ts';
import { activity, at, block, day, item, workout } from '../services/timeseries/items.ts';
import { withUser } from '../services/timeseries/setting.ts';
import { wrongStatistics } from '../services/timeseries/statistics.ts';
import { startBroker } from '../support/servers/broker.ts';
import type { TestDatabase } from '../support/servers/database.ts';

const root = join(import.meta.dirname, '../..');
const stackDir = process.env.STACK_DIR ?? defaultStackDir();

/** A data folder, in which servers run if they are started. */
async function server(t: Test, dataDir: string): Promise<Stack> {
  const stack = await startStack({ dataDir, stackDir, log: () => {} });
  t.teardown(() => stack.stop());
  return stack;
}

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-backup-test-'));
  chmodSync(folder, 0o711);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(t: Test, url: string): TestDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  t.teardown(() => pool.end());
  return { url, ...databaseOf(pool) };
}

/** The commands of docs/operating.md with a word, which the test runs unchanged but for npm. */
function commands(word: string): string {
  const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const block = [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].find(([text]) => text.includes(word));
  return `npm() { shift 4; node '${join(root, 'stack/commands/stack.ts')}' "$@"; }\n${block?.[1] ?? 'false'}`;
}

const tables = `
  select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname !~ '^(pg_|_?timescaledb|information_schema)' order by 1`;

async function contentOf(database: Database): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  for (const { name } of await database.query<{ name: string }>(tables))
    [content[name]] = await database.query(
      `select count(*)::int as n, md5(string_agg(x::text, ',' order by x::text)) as digest from ${name} x`,
    );
  return content;
}

t.test('a backup by the commands of docs/operating.md restores every row', async (t) => {
  const [folder, sourceDir, targetDir] = [folderOf(t), join(folderOf(t), 'data'), join(folderOf(t), 'data')];
  const { databaseUrl: source } = await server(t, sourceDir);
  const secrets = generatedSecrets(sourceDir);
  await migrateUp(source);
  const from = open(t, source);
  const { broker, call } = await startBroker(t, { databaseUrl: source, services: [timeseries] });
  const userId = randomUUID();
  const days = Array.from({ length: 200 }, (_, n) => [at('10:00:00') + n * 86_400_000 - 2e10, 60] as const);
  await withUser(from, call, userId).store([
    item({
      day: day('2026-03-01', { steps: 9 }),
      samples: [block('heart_rate', days), block('steps', days)],
    }),
    activity(workout(at('09:00:00'), 30)),
  ]);
  const page = {
    user_id: userId,
    start_time: '2025-01-01',
    end_time: '2027-01-01',
    resolution: '1hour',
  } as const;
  const read = await call('timeseries.samples', page);
  t.equal(read.pagination.total_count, 400);
  // Its periodic tasks write between the dump and the comparison.
  await broker.stop();
  const { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH: `${dirname(process.execPath)}:${PATH}`, HOME, STACK_DIR, NODE_COMPILE_CACHE };
  const type = (word: string, DATA_DIR: string) =>
    run('sh', ['-e', '-c', commands(word)], { cwd: folder, env: { ...env, DATA_DIR } });
  await type('pg_dump', sourceDir);
  await type('pg_restore', targetDir);
  const { databaseUrl: target } = await server(t, targetDir);
  t.strictSame(generatedSecrets(targetDir), secrets, 'what is encrypted can be read');
  const into = open(t, target);
  const content = await contentOf(from);
  t.match(content['timeseries.sample'], { n: 400 });
  t.strictSame(await contentOf(into), content, 'every row of every table');
  t.strictSame(await wrongStatistics(into), []);
  const chunks = 'select from timescaledb_information.chunks';
  t.equal((await into.query(chunks)).length, (await from.query(chunks)).length, 'as a hypertable');
  t.strictSame(await migrateUp(target), [], 'there is nothing to migrate');
  const other = await startBroker(t, { databaseUrl: target, services: [timeseries] });
  t.strictSame(await other.call('timeseries.samples', page), read, 'a page is the same');
  t.match(
    await withUser(into, other.call, userId).store([
      item({ samples: [block('steps', [[at('11:00:00'), 5]])] }),
    ]),
    [{ status: 'saved', samples_written: 1 }],
    'and it goes on',
  );
  t.strictSame(await wrongStatistics(into), []);
});
