import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../config.ts';
import { environmentOf, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { connectSandboxUsers } from '../../stack/sandbox/sandbox-users.ts';
import { whole } from '../sandbox/product-with-sandbox.ts';

t.test('accounts of a provider that does not answer are connected when it does', async (t) => {
  const { api, sandbox } = await whole(t, []);
  const { faults } = sandbox.world;
  faults.add({
    ...{ kind: 'error', probability: 1, provider: 'devicemaker', for_seconds: null },
    ...{ delay_ms: 1, spread_seconds: 1 },
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-users-'));
  const controller = new AbortController();
  const lines: string[] = [];
  t.teardown(() => {
    controller.abort();
    rmSync(dataDir, { recursive: true });
  });
  const settings = settingsOf(sandbox.access);
  const users = await connectSandboxUsers({
    ...{ broker: api.broker, url: api.url, dataDir, config: loadConfig(environmentOf(settings)) },
    sandbox: { access: sandbox.access, settings },
    signal: controller.signal,
    started: (stop) => t.teardown(stop),
    say: (line) => lines.push(line),
  });
  t.not(users.example, null, 'an account of another provider is the example');
  t.match(lines, [/The sandbox is slow: \d+ accounts are connected later\./]);
  const active = async () => {
    const { rows } = await api.database.pool.query(
      "select provider from users.connection where status = 'active' and provider = 'devicemaker'",
    );
    return rows.length;
  };
  t.equal(await active(), 0);
  faults.remove(null);
  await users.delayedConnected;
  t.ok((await active()) > 0);
  t.match(lines.at(-1), /The accounts that were delayed are connected\./);
});
