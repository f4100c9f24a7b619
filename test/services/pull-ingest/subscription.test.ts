import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { freePort } from '../../../stack/machine/ports.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { fast } from './setting.ts';

const Setup = z.object({
  provider: z.string(),
  subscription: z.object({ state: z.string(), checked_at: z.string(), since: z.string() }).nullable(),
});

t.test('creates the subscriber of the application, and shows its state', async (t) => {
  const sandbox = await startSandbox({ seed: 'a seed', speed: 0 });
  t.teardown(() => sandbox.stop());
  const port = await freePort();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    client_email: 'service@project.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: sandbox.access.settings.GOOGLEHEALTH_TOKEN_URL,
  };
  const secret = 'health_secret_of_the_tests_000000001';
  const api = await joinApi(t, {
    database: await freshDatabase(t),
    settings: {
      ...environmentOf(settingsOf(sandbox.access)),
      ...{ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_ADDRESS: '100000' },
      ...{ GOOGLEHEALTH_PROJECT_NUMBER: '1', GOOGLEHEALTH_SERVICE_ACCOUNT: JSON.stringify(account) },
      WEBHOOK_SECRET_GOOGLEHEALTH: secret,
    },
    instead: [pullIngestService({ ...fast, firstUpkeepMs: 50 })],
  });
  const shown = async () => {
    const all = z.array(Setup).parse(await api.expect(200, '/providers'));
    return all.find(({ provider }) => provider === 'googlehealth')?.subscription ?? null;
  };
  const until = async (state: string) => {
    while ((await shown())?.state !== state) {
      await api.database.query("update jobs.job set run_at = now() where kind = 'pull-ingest.subscriptions'");
      await sleep(50);
    }
  };
  await until('active');
  const answer = await fetch(`${sandbox.access.settings.GOOGLEHEALTH_API_URL}/v4/projects/1/subscribers`, {
    headers: { Authorization: `Bearer ${sandbox.access.settings.GOOGLEHEALTH_CLIENT_SECRET}` },
  });
  t.match(await answer.json(), {
    subscribers: [
      {
        endpointUri: `http://127.0.0.1:${port}/api/v1/webhooks/googlehealth/notifications/${secret}`,
        state: 'ACTIVE',
      },
    ],
  });
});
