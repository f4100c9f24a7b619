import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import t, { type Test } from 'tap';
import { type BusSettings, natsOptions } from '../../runtime/nats-options.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { waitUntil } from '../../stack/machine/processes.ts';
import { defaultStackDir, serverAccount } from '../../stack/machine/unprivileged.ts';
import { debianPrograms } from '../../stack/packages/debian-packages.ts';
import { startServer } from '../../stack/servers/server-process.ts';
import { selfSigned } from '../support/servers/self-signed.ts';

const patienceMs = 30_000;

/** A bus that demands TLS, and a certificate of its clients. Returns its port and the folder of the files. */
async function startTlsBus(t: Test, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-tls-'));
  chmodSync(folder, 0o755); // the server's account reads the files
  const files = {
    server: selfSigned(name),
    client: selfSigned('auth'),
    other: selfSigned(name),
  };
  for (const [name, { key, cert }] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.key`), key, { mode: 0o644 });
    writeFileSync(join(folder, `${name}.pem`), cert);
  }
  const port = await freePort();
  const conf = join(folder, 'nats.conf');
  writeFileSync(
    conf,
    `host: "127.0.0.1"
port: ${port}
authorization { user: "auth", password: "secret" }
tls { cert_file: "${folder}/server.pem", key_file: "${folder}/server.key", ca_file: "${folder}/client.pem", verify: true }
`,
    { mode: 0o644 },
  );
  const log = (line: string) => t.comment(line);
  const { natsServer } = await debianPrograms({ stackDir: defaultStackDir(), log });
  if (natsServer === null) throw new Error('this test needs a bus');
  const server = startServer({
    name: 'NATS',
    command: [natsServer, '-c', conf],
    stopSignal: 'TERM',
    logFile: join(folder, 'nats.log'),
    account: serverAccount(),
    log,
  });
  t.teardown(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { port, file: (name: string) => join(folder, name) };
}

async function open(settings: BusSettings): Promise<true> {
  const connection = await connect({ ...natsOptions(settings), reconnect: false });
  await connection.flush();
  await connection.close();
  return true;
}

t.test('the bus is reached by TLS with its authority and a certificate, and not otherwise', async (t) => {
  const { port, file } = await startTlsBus(t, 'localhost');
  const NATS_URL = `tls://auth:secret@localhost:${port}`;
  const own = { NATS_CERT: file('client.pem'), NATS_KEY: file('client.key') };
  const good = { NATS_URL, NATS_CA: file('server.pem'), ...own };
  t.ok(await waitUntil(() => open(good).catch(() => false), patienceMs), 'a connection by TLS');
  const plain = { ...good, NATS_URL: `nats://auth:secret@localhost:${port}` };
  t.ok(await open(plain), 'NATS_CA is enough to use TLS');
  const wrong: Readonly<Record<string, BusSettings>> = {
    'without the authority': { NATS_URL, ...own },
    'with another authority': { ...good, NATS_CA: file('other.pem') },
    'without a certificate': { NATS_URL, NATS_CA: file('server.pem') },
    'with a certificate that the server does not know': {
      ...good,
      NATS_CERT: file('other.pem'),
      NATS_KEY: file('other.key'),
    },
    'with another password': { ...good, NATS_URL: `tls://auth:wrong@localhost:${port}` },
  };
  for (const [what, settings] of Object.entries(wrong)) await t.rejects(open(settings), what);
});

t.test('a server with the name of another one is refused', async (t) => {
  const { port, file } = await startTlsBus(t, 'bus.example');
  const settings = {
    NATS_URL: `tls://auth:secret@localhost:${port}`,
    NATS_CA: file('server.pem'),
    NATS_CERT: file('client.pem'),
    NATS_KEY: file('client.key'),
  };
  const codeOf = () => open(settings).then(String, ({ code }: { code?: string }) => code);
  t.ok(await waitUntil(async () => (await codeOf()) !== 'CONNECTION_REFUSED', patienceMs));
  t.equal(await codeOf(), 'ERR_TLS_CERT_ALTNAME_INVALID');
});
