import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { startApi } from '../support/api.ts';
import { adminUrl, natsUrl } from '../support/servers/database.ts';

/** Where something listens on a port: the addresses as /proc/net/tcp and tcp6 write them. */
function listeners(port: number): string[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((path) => existsSync(path));
  const rows = tables.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n').slice(1));
  return rows.flatMap((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    return state === '0A' && Number.parseInt(hexPort, 16) === port ? [address] : [];
  });
}

const loopback = new Set(['0100007F', '00000000000000000000000001000000']);

t.test('the servers and the gateway listen on loopback only', async (t) => {
  const api = await startApi(t);
  for (const url of [adminUrl(), natsUrl(), api.url]) {
    const found = listeners(Number(new URL(url).port));
    t.ok(found.length > 0, `something listens on port ${new URL(url).port}`);
    t.same(
      found.filter((address) => !loopback.has(address)),
      [],
    );
  }
});
