import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { loadConfig } from '../../config.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { SandboxAccess } from '../../sandbox/simulation/simulation.ts';
import { environmentOf, sandboxSeed, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { connectSandboxUsers, exampleUser } from '../../stack/sandbox/sandbox-users.ts';
import { startApi } from '../support/api.ts';

const slowMs = 10;
/** How the sandbox behaves. */
let behaviour: 'refuses' | 'is silent' | 'is slow' = 'refuses';

/** A sandbox behind a server that refuses requests, does not answer them, or answers late. */
async function sandboxOf(t: Test) {
  const sandbox = await startSandbox({ seed: sandboxSeed, speed: 0 });
  t.teardown(() => sandbox.stop());
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    if (behaviour === 'is silent') return;
    if (behaviour === 'refuses') return void response.writeHead(400).end();
    await sleep(slowMs);
    const kept = Object.entries(headers).filter(([name]) => /^(authorization|content-type|x-.*)$/.test(name));
    const answer = await fetch(`${sandbox.access.url}${url}`, {
      method,
      headers: kept.map(([name, value]) => [name, String(value)]),
      redirect: 'manual',
      ...(body.length === 0 ? {} : { body }),
    });
    const shown = ['content-type', 'location'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(shown)).end(await answer.text());
  };
  // At the end the sandbox leaves requests that are on their way without an answer.
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const access = JSON.stringify(sandbox.access).replaceAll(sandbox.access.url, url);
  return { access: SandboxAccess.parse(JSON.parse(access)), sandbox };
}

t.test('the sandbox is a guest', async (t) => {
  const { access, sandbox } = await sandboxOf(t);
  const settings = settingsOf(access);
  const api = await startApi(t, { ...environmentOf(settings), BACKFILL_DAYS: '1' });
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-users-'));
  t.teardown(() => rmSync(dataDir, { recursive: true }));
  const guest = (t: Test) => {
    const controller = new AbortController();
    t.teardown(() => controller.abort());
    const lines: string[] = [];
    const deps = {
      ...{ broker: api.broker, url: api.url, dataDir, config: loadConfig(environmentOf(settings)) },
      sandbox: { access, settings },
      signal: controller.signal,
      started: (stop: () => Promise<unknown>) => t.teardown(stop),
      say: (line: string) => lines.push(line),
    };
    return { deps, lines };
  };
  const active = async (provider: string) => {
    const { rows } = await api.database.pool.query(
      "select provider from users.connection where status = 'active' and provider = $1",
      [provider],
    );
    return rows.length;
  };

  await t.test('the start page has its example while no request is answered', async (t) => {
    behaviour = 'is silent';
    const { deps } = guest(t);
    void connectSandboxUsers(deps);
    t.match(await exampleUser(deps), { userId: /^[0-9a-f-]{36}$/, connectUrl: /^http:/ });
  });

  await t.test('a sandbox that refuses is one line, and is asked until it answers', async (t) => {
    behaviour = 'refuses';
    const { deps, lines } = guest(t);
    t.not(await exampleUser(deps), null);
    void connectSandboxUsers(deps);
    while (lines.length === 0) await sleep(20);
    t.match(lines[0], /^ {2}The sandbox is not complete: .*400.* It is tried again\.$/);
    t.equal(await active('activitynet'), 0);
    // One provider stays away for longer, which does not keep the others from being connected.
    const { faults } = sandbox.world;
    faults.add({
      ...{ kind: 'error', probability: 1, provider: 'devicemaker', for_seconds: null },
      ...{ delay_ms: 1, spread_seconds: 1 },
    });
    behaviour = 'is slow';
    while ((await active('activitynet')) === 0) await sleep(20);
    t.equal(await active('devicemaker'), 0);
    faults.remove(null);
    while ((await active('devicemaker')) === 0) await sleep(20);
    t.equal(lines.filter((line) => line.includes('not complete')).length, 1);
  });
});
