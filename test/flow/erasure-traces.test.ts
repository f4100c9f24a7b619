import pg from 'pg';
import t from 'tap';
import { z } from 'zod';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { playProvider } from '../services/connect/provider.ts';
import { ask } from '../support/api.ts';
import { ciphertextsOf } from '../support/ciphertexts.ts';
import { startProduct } from '../support/product.ts';
import { ownTracesOf, tracesOf } from '../support/traces.ts';
import { tracesInFiles } from '../support/traces-in-files.ts';
import { until } from '../support/until.ts';
import {
  changeUser,
  connectAccounts,
  type Planting,
  plantEvents,
  plantFormerAccount,
  plantLate,
  plantPings,
  plantPushes,
  plantUser,
  useData,
} from './erasure/plant.ts';
import { type Planted, plantedFor, textsOf } from './erasure/planted.ts';

/*
 * Searches traces of a deleted user: values are planted in every way that data comes in, the user is deleted, and then every
 * table of every schema and every file that the product wrote is searched for them byte by byte.
 *
 * Rows that are deleted stay in PostgreSQL's files until VACUUM has removed them and their space was used again, and
 * in its write-ahead log until a later checkpoint recycles the segment. Nobody reads them through the product. The
 * search runs after VACUUM FULL, which leaves live rows only, and leaves the write-ahead log out.
 */
t.setTimeout(600_000);

const secret = 'a secret of the tests with 32 characters and more';
const account = { email: 'developer@example.com', password: 'a long password of the tests' };

const provider = await playProvider(t);
const product = await startProduct(t, {
  ...provider.settings,
  ...{ LOG_LEVEL: 'debug', JWT_SECRET: secret, ENCRYPTION_KEY: secret },
  ...{ ADMIN_EMAIL: account.email, ADMIN_PASSWORD: account.password },
  ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_FAILURES: '100000' },
});
const database = openAsSuperuser(product.superUrl);
const cipher = cipherOf({ ENCRYPTION_KEY: [secret] });

function openAsSuperuser(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return databaseOf(pool);
}

async function planting(): Promise<Planting> {
  const login = await ask(product.url, '/api/v1/auth/login', { body: account });
  const { access_token } = z.object({ access_token: z.string() }).parse(login.body);
  const made = await ask(product.url, '/api/v1/api-keys', { token: access_token, body: { name: 'Tests' } });
  const { key } = z.object({ key: z.string() }).parse(made.body);
  return { url: product.url, apiKey: key, developerToken: access_token, provider };
}

/** Tokens that the providers issued for some accounts. */
function issuedFor({ accounts }: Planted): string[] {
  const all: string[] = Object.values(accounts);
  const issued = [...provider.alive, ...provider.refreshable];
  return issued.filter(([, owner]) => all.includes(owner)).map(([token]) => token);
}

interface User {
  readonly id: string;
  readonly values: string[];
}

// The values that the search found on the way: former ones are gone already when the user is deleted.
const found = new Set<string>();

async function look(values: readonly string[]): Promise<void> {
  await database.query('analyze');
  for (const trace of await ownTracesOf(database, values)) found.add(trace.replace(/^.*?: /, ''));
  for (const { text } of await ciphertextsOf(database, cipher))
    for (const value of values) if (text?.includes(value)) found.add(value);
}

async function plant(on: Planting, planted: Planted, other: string): Promise<User> {
  const values = textsOf(planted);
  const id = await plantUser(on, planted);
  await plantFormerAccount(on, id, planted);
  await look(values);
  await changeUser(on, id, planted);
  await ask(on.url, `/api/v1/users/${id}/connections/devicemaker`, { method: 'DELETE', key: on.apiKey });
  await connectAccounts(on, id, planted);
  await plantPushes(on, planted, other);
  await plantPings(on, planted);
  const first = issuedFor(planted);
  await look(first);
  // The next requests refresh the tokens.
  await database.query('update users.connection set expires_at = now() where user_id = $1', [id]);
  await plantEvents(on, planted);
  await until(async () => (await fetchedActivities(id)) > 0);
  const token = await useData(on, id);
  const refreshed = issuedFor(planted).filter((one) => !first.includes(one));
  if (refreshed.length < 2) throw new Error('no tokens were refreshed');
  values.push(token, ...first, ...refreshed);
  await look(values);
  return { id, values };
}

async function fetchedActivities(userId: string): Promise<number> {
  const sql = 'select from activitynet.activity where user_id = $1 and fetched_at is not null';
  return (await database.query(sql, [userId])).length;
}

/** The places where the database still contains some values encrypted, or ciphertext that cannot be decrypted. */
async function encryptedOf(values: readonly string[]): Promise<string[]> {
  return (await ciphertextsOf(database, cipher)).flatMap(({ place, text }) =>
    text === null || values.some((value) => text.includes(value)) ? [place] : [],
  );
}

/** The places of the id of a user, as `schema.table.column`. */
async function placesOf(id: string): Promise<string[]> {
  return (await tracesOf(database, [id])).map((trace) => trace.replace(/: .*$/, ''));
}

// `user.deleted` and its number stay in the change log for CHANGE_RETENTION_DAYS.
const idsKept = [
  'auth.audit_entry.subject_id',
  'auth.audit_entry.user_id',
  'changes.change.user_id',
  'changes.pending.user_id',
  'changes.user_sequence.user_id',
  'connect.attempt.user_id',
  'gateway.idempotent_answer.user_id',
  'pg_catalog.pg_statistic.stavalues1',
  'pg_catalog.pg_statistic.stavalues2',
  'pg_catalog.pg_stats.histogram_bounds',
  'pg_catalog.pg_stats.most_common_vals',
  'timeseries.tombstone.user_id',
  'users.person.id',
];

const kinds = "'deliveries.erasure', 'users.erasure', 'users.token_revocation'";

/** Ends the pauses of erasure, which leaves raw deliveries alone for half a minute. True when nothing is left to erase. */
async function isErased(): Promise<boolean> {
  await database.query("update deliveries.delivery set done_at = done_at - interval '1 minute'");
  await database.query('update deliveries.erasure set run_at = now() where run_at > now()');
  await database.query(
    `update jobs.job set run_at = now() where kind in (${kinds}) and not leased and run_at > now()`,
  );
  const left = await database.query(
    `select from deliveries.erasure union all select from jobs.job where kind in (${kinds}) and dead_at is null
     union all select from users.list_change where sign < 0`,
  );
  return left.length === 0;
}

// PostgreSQL's write-ahead log; see above.
const isLeftOut = (path: string) => path.includes('/pg_wal/');

t.test('only ids of a deleted user remain in tables and files', async (t) => {
  const on = await planting();
  const staying = await plant(on, plantedFor('whostays', 2), 'nobody');
  found.clear();
  const leaving = await plant(on, plantedFor('wholeaves', 5), plantedFor('whostays', 2).accounts.devicemaker);
  t.ok(leaving.values.length >= 20, `${leaving.values.length} values`);
  const hashed = leaving.values.filter((value) => value.startsWith('rt-'));
  t.same(
    leaving.values.filter((value) => !found.has(value)),
    hashed,
    'the search finds all of them but what is kept as a hash',
  );

  const removed = await ask(on.url, `/api/v1/users/${leaving.id}`, { method: 'DELETE', key: on.apiKey });
  t.equal(removed.status, 200);
  // The provider goes on sending for a while.
  await plantLate(on, plantedFor('wholeaves', 5), plantedFor('whostays', 2).accounts.devicemaker);
  await until(isErased);
  t.same(await tracesOf(database, leaving.values), []);
  t.same(await encryptedOf(leaving.values), []);
  const places = await placesOf(leaving.id);
  t.same(
    places.filter((place) => !idsKept.includes(place)),
    [],
    'the id of the user stands where it must be kept, and nowhere else',
  );
  t.ok((await ownTracesOf(database, staying.values)).length > 20, 'another user keeps theirs');

  await database.query('vacuum (full, analyze)');
  await database.query('checkpoint');
  t.ok(
    tracesInFiles(product.folder, staying.values, isLeftOut).length > 0,
    'the search of files finds values',
  );
  await database.pool.end();
  await product.stop();
  t.same(tracesInFiles(product.folder, leaving.values, isLeftOut), []);
});
