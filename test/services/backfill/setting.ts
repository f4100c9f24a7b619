import { randomUUID } from 'node:crypto';
import type { ServiceSchema } from 'moleculer';
import type { Test } from 'tap';
import type { Backfill, Received } from '../../../contracts/backfill.ts';
import type { Call } from '../../../runtime/environment.ts';
import { backfillService } from '../../../services/backfill/backfill.service.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker, type TestBroker } from '../../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { type PlayedProvider, playProvider } from './provider.ts';

/** Quick where the clock is the machine's; what is waited for in earnest is turned by SQL. */
export const testPace = {
  spacingMs: 0,
  atOnce: 100,
  retries: 0,
  firstPauseMs: 1,
  timeoutMs: 2000,
  pollMs: 20,
};

/** A user with a link to the device maker. */
export interface Wearer {
  readonly user_id: string;
  readonly connection_id: string;
  readonly token: string;
}

/** The backfill service beside users, and a provider to ask. */
export interface Setting extends TestBroker {
  readonly database: TestDatabase;
  readonly provider: PlayedProvider;
  readonly settings: Readonly<Record<string, string>>;
  wearer(tokens?: { access_token?: string; refresh_token?: string; expires_at?: string }): Promise<Wearer>;
  start(wearer: Wearer, days?: number): Promise<Backfill>;
  status(wearer: Wearer): Promise<Backfill>;
  /** What an ingest service says after it stored data. */
  bring(wearer: Wearer, type: string, more?: Partial<Received> & { delivery_id?: string }): Promise<Progress>;
  /** Makes everything due that waits for a time. */
  turnClock(): Promise<void>;
}

interface Progress {
  chained: string[];
  completed: { type: string; user_id: string }[];
}

/** What a setting may be made with. */
export interface SettingChoice {
  readonly types?: string;
  readonly pace?: Parameters<typeof backfillService>[0];
  readonly services?: readonly ServiceSchema[];
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts it all on a database of its own. */
export async function startSetting(t: Test, choice: SettingChoice = {}): Promise<Setting> {
  const { types = 'dailies,sleeps,hrv', pace = {}, services = [] } = choice;
  const [database, provider] = [await freshDatabase(t), await playProvider(t)];
  const settings = { ...provider.settings, BACKFILL_TYPES: types, ...choice.settings };
  const started = await startBroker(t, {
    databaseUrl: database.url,
    services: [users, backfillService({ ...testPace, ...pace }), ...services],
    settings,
  });
  return { ...started, database, provider, settings, ...stepsOn(started.call, database) };
}

/** Settings of one test file, each made once and found empty by the test that asks for it. */
export function settingsOf(t: Test): (choice?: SettingChoice) => Promise<Setting> {
  const made = new Map<string, Promise<Setting>>();
  return async (choice = {}) => {
    const key = JSON.stringify([choice.types, choice.pace]);
    const making = made.get(key) ?? startSetting(t, choice);
    made.set(key, making);
    const setting = await making;
    await settle(setting.database);
    setting.provider.reset();
    return setting;
  };
}

// What the last test left is on its way still: it must not be asked in the next one's name.
async function settle(database: TestDatabase): Promise<void> {
  await until(async () => {
    await database.query(`update backfill.run set run_at = 'infinity' where not asking`);
    return (await database.query('select from backfill.run where asking')).length === 0;
  }, 'rest');
  await database.query('delete from backfill.run');
}

/** The test's own moves, by whatever broker. */
export function stepsOn(call: Call, database: TestDatabase) {
  const link = ({ user_id }: Wearer) => ({ user_id, provider: 'devicemaker' as const });
  const status = (wearer: Wearer) => call('backfill.status', link(wearer));
  return {
    async wearer(tokens: { access_token?: string; refresh_token?: string; expires_at?: string } = {}) {
      const { id: user_id } = await call('users.create', {});
      const token = tokens.access_token ?? `token-${randomUUID()}`;
      const given = { access_token: token, refresh_token: `refresh-${token}`, ...tokens };
      const connection = {
        user_id,
        provider: 'devicemaker' as const,
        provider_user_id: randomUUID(),
        ...given,
      };
      return { user_id, connection_id: (await call('users.connect', connection)).id, token };
    },
    start: (wearer: Wearer, days = 30) => call('backfill.start', { ...link(wearer), days }),
    status,
    async bring(
      { user_id, connection_id }: Wearer,
      type: string,
      { delivery_id = randomUUID(), ...more }: Partial<Received> & { delivery_id?: string } = {},
    ) {
      const begins = Date.now() - 7 * 86_400_000;
      const times = { first_start_ms: begins, last_start_ms: begins };
      const one = { connection_id, user_id, type, items: 1, saved: 1, ...times, ...more };
      return call('backfill.received', { provider: 'devicemaker', delivery_id, received: [one] });
    },
    async turnClock() {
      await database.query(`update backfill.step set deadline = now() where deadline is not null`);
      await database.query(`update backfill.run set run_at = now() where not asking`);
    },
  };
}

/** Waits until the provider was asked so often, and the answer is written down. */
export async function untilAsked({ provider, database }: Setting, times: number): Promise<void> {
  await until(async () => {
    if (provider.asked.length < times) return false;
    const held = await database.query('select from backfill.run where asking');
    return held.length === 0;
  }, `${times} requests`);
}

/** The status of each type, by name. */
export function statusByType({ types }: Backfill): Record<string, string> {
  return Object.fromEntries(types.map(({ type, status }) => [type, status]));
}
