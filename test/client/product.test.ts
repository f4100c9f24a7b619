import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Pulsebus } from '../../clients/typescript/src/index.ts';
import { clientFolder, installedClient } from '../support/client-package.ts';
import { conformanceTo } from '../support/conformance.ts';
import { startClientProduct } from './product-with-sandbox.ts';
import { outputOf, running } from './programs.ts';
import { startReceiver } from './receiver.ts';

t.setTimeout(300_000);
const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const user = await installedClient(t, ['express']);
const receiver = await startReceiver(t);
const whole = await startClientProduct(t, [receiver.url]);

const program = /## A first program[\s\S]*?```js\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';

t.test('the first program of the README prints an hour of heart rate', async (t) => {
  const lines = program.split('\n').slice(0, -1);
  t.ok(lines.length >= 5 && lines.length <= 10, `${lines.length} lines`);
  t.ok(read('clients/typescript/README.md').includes(program), 'the README of the client has the same one');
  t.ok(program.includes("'http://127.0.0.1:3000'"), 'it names the default address');
  writeFileSync(join(user, 'first.mjs'), program.replace('http://127.0.0.1:3000', whole.url));
  const output = await outputOf(user, ['first.mjs'], { KEY: whole.apiKey });
  const printed = output.trim().split('\n');
  const value = /^\d{4}-\d\d-\d\dT12:\d\d:00Z \d+(\.\d+)?$/;
  t.same(
    printed.filter((line) => !value.test(line)),
    [],
  );
  t.ok(printed.length > 30, `${printed.length} lines`);
});

t.test('the example heart-rate.mjs prints a line per day, and an error with its code', async (t) => {
  cpSync(join(clientFolder, 'examples'), join(user, 'examples'), { recursive: true });
  const run = (userId: string) =>
    outputOf(user, ['examples/heart-rate.mjs', userId], {
      PULSEBUS_URL: whole.url,
      PULSEBUS_KEY: whole.apiKey,
    });
  t.match(await run(whole.userId), /^(\d{4}-\d\d-\d\d [▁▂▃▄▅▆▇█]+\n){2,5}$/);
  await t.rejects(run(randomUUID()), /USER_NOT_FOUND: User .* \(request [\w-]+\)/);
});

t.test('the example receiver.mjs verifies and prints the events of an endpoint', async (t) => {
  const { webhooks, users } = new Pulsebus({ baseUrl: whole.url, apiKey: whole.apiKey });
  const url = `${receiver.url}/hook`;
  const { id: endpoint_id, secret } = await webhooks.createEndpoint({ url, event_types: ['user.deleted'] });
  const example = running(t, user, ['examples/receiver.mjs'], { PORT: '0', WEBHOOK_SECRET: secret });
  const [, port = ''] = await example.line(/^listening on (\d+)$/);
  receiver.passTo(`http://127.0.0.1:${port}`);
  const ping = await webhooks.testEndpoint({ endpoint_id });
  t.match(ping, { status: 'delivered' }, JSON.stringify(ping.attempts));
  await example.line(/^test\.ping$/);
  const { id: user_id } = await users.create();
  await users.remove({ user_id });
  await example.line(new RegExp(`^forget ${user_id}$`));
  const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' });
  t.equal(forged.status, 400);
});

t.test('a response that differs from the document is found', async (t) => {
  const document = JSON.parse(read('openapi.json'));
  document.components.schemas.Health.required.push('a_field_that_is_missing');
  const conformance = conformanceTo(document);
  await new Pulsebus({ baseUrl: whole.url, fetch: conformance.fetch }).apiGateway.health();
  t.match(conformance.differences, [/^api-gateway\.health 200: .*a_field_that_is_missing/]);
  t.equal(conformance.differences.length, 1);
});
