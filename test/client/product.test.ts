import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Pulsebus } from '../../clients/typescript/src/index.ts';
import { callEveryOperation } from './calls.ts';
import { conformanceTo } from './conformance.ts';
import { startClientProduct } from './product-with-sandbox.ts';
import { startReceiver } from './receiver.ts';

t.setTimeout(300_000);
const root = join(import.meta.dirname, '../..');
const receiver = await startReceiver(t);
const whole = await startClientProduct(t, [receiver.url]);

t.test('every operation of openapi.json is called, and its responses are as the document says', async (t) => {
  const conformance = conformanceTo(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')));
  await callEveryOperation({ ...whole, fetch: conformance.fetch, receiverUrl: receiver.url });
  t.strictSame(conformance.differences, []);
  t.strictSame([...conformance.called].toSorted(), [...conformance.operations].toSorted());
  t.ok(conformance.operations.size > 70, `${conformance.operations.size} operations`);
});

t.test('a response that differs from the document is found', async (t) => {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  document.components.schemas.Health.required.push('a_field_that_is_missing');
  const conformance = conformanceTo(document);
  await new Pulsebus({ baseUrl: whole.product.url, fetch: conformance.fetch }).apiGateway.health();
  t.match(conformance.differences, [/^api-gateway\.health 200: .*a_field_that_is_missing/]);
  t.equal(conformance.differences.length, 1);
});
