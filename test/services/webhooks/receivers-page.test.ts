import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import t from 'tap';
import { z } from 'zod';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { signedHeaders } from '../../../services/webhooks/deliver/sign.ts';
import { newSecret } from '../../../services/webhooks/endpoints/secrets.ts';
import { testConfig } from '../../support/servers/broker.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
const cipher = cipherOf(testConfig({ databaseUrl: 'postgres://nowhere/' }));

/** Runs the page's example for Node.js. */
function verify(headers: Record<string, string>, body: string, secret: string): boolean {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const globals = { require: createRequire(import.meta.url), Buffer, headers, body, secret };
  return z.boolean().parse(runInContext(`${code}\nverify(headers, body, secret)`, createContext(globals)));
}

t.test("the page's example accepts what is signed, with both secrets of a rotation", async (t) => {
  const [endpoint_id, secret, former, body] = ['e1', newSecret(), newSecret(), '{"note":"naïve"}'];
  const encrypt = (text: string) => cipher.encrypt(text, endpoint_id);
  const receiver = { endpoint_id, secret: encrypt(secret), former_secret: encrypt(former) };
  const headers = signedHeaders(cipher, receiver, { id: 'm1', at: new Date(), body });
  t.equal(verify(headers, body, secret), true);
  t.equal(verify(headers, body, former), true);
  t.equal(verify(headers, `${body} `, secret), false, 'a changed body');
  t.equal(verify({ ...headers, 'webhook-id': 'm2' }, body, secret), false, 'another id');
  t.equal(verify(headers, body, newSecret()), false, 'another secret');
  const old = signedHeaders(cipher, receiver, { id: 'm1', at: new Date(Date.now() - 600_000), body });
  t.equal(verify(old, body, secret), false, 'an old timestamp');
});
