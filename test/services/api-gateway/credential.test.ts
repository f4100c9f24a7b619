import { createHash } from 'node:crypto';
import t from 'tap';
import { credentialOf } from '../../../services/api-gateway/credential.ts';

const key = `sk-${'a'.repeat(32)}`;
const hash = createHash('sha256').update(key).digest('hex');

t.test('takes an API key in every header that the interface names', async (t) => {
  for (const name of ['x-api-key', 'x-service-api-key', 'x-pulsebus-api-key'])
    t.same(credentialOf({ [name]: key }), { api_key_hash: hash }, name);
  t.same(credentialOf({ authorization: `Bearer ${key}` }), { api_key_hash: hash });
  t.same(credentialOf({ authorization: `bearer  ${key} ` }), { api_key_hash: hash });
});

t.test('takes any other bearer for a token', async (t) => {
  t.same(credentialOf({ authorization: 'Bearer a.b.c' }), { token: 'a.b.c' });
});

t.test('finds no credential only where none was sent', async (t) => {
  t.equal(credentialOf({}), null);
  for (const authorization of ['', 'Bearer', 'Basic abc', 'Bearer a b', `Bearer ${'x'.repeat(5000)}`]) {
    t.match(credentialOf({ authorization }), { api_key_hash: /^[0-9a-f]{64}$/ }, authorization.slice(0, 20));
  }
});

t.test('never hands the key itself on', async (t) => {
  t.notMatch(JSON.stringify(credentialOf({ 'x-api-key': key })), key);
});
