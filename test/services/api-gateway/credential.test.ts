import { createHash } from 'node:crypto';
import t from 'tap';
import { credentialOf } from '../../../services/api-gateway/rules/credential.ts';

const key = `sk-${'a'.repeat(32)}`;
const hash = createHash('sha256').update(key).digest('hex');

t.test('accepts an API key in every documented header', async (t) => {
  for (const name of ['x-api-key', 'x-service-api-key', 'x-pulsebus-api-key', 'x-open-wearables-api-key'])
    t.same(credentialOf({ [name]: key }), { api_key_hash: hash }, name);
  t.same(credentialOf({ authorization: `Bearer ${key}` }), { api_key_hash: hash });
  t.same(credentialOf({ authorization: `bearer  ${key} ` }), { api_key_hash: hash });
});

t.test('treats any other bearer as a token', async (t) => {
  t.same(credentialOf({ authorization: 'Bearer a.b.c' }), { token: 'a.b.c' });
});

t.test('finds no credential only if none was sent', async (t) => {
  t.equal(credentialOf({}), null);
  t.match(credentialOf({ authorization: `Bearer ${'x'.repeat(5000)}` }), { api_key_hash: /^[0-9a-f]{64}$/ });
});

t.test('the error of a malformed credential names the form and does not repeat the value', async (t) => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const cases: [Record<string, string>, string][] = [
    [{ authorization: '' }, 'Authorization is empty'],
    [{ authorization: 'Bearer' }, 'nothing after Bearer'],
    [{ authorization: 'Bearer  ' }, 'nothing after Bearer'],
    [{ authorization: 'Bearer two secrets' }, 'more than one word after Bearer'],
    [{ authorization: 'Basic c2VjcmV0' }, 'the scheme Basic, which is not supported'],
    [{ authorization: `basic ${key}` }, 'the scheme Basic, which is not supported'],
    [{ authorization: key }, 'no scheme before its credential'],
    [{ authorization: token }, 'no scheme before its credential'],
    [{ authorization: 'secret of mine' }, 'an unknown scheme'],
    [{ 'x-api-key': '' }, 'X-API-Key is empty'],
    [{ 'x-api-key': `Bearer ${key}` }, 'X-API-Key takes a key alone'],
    [{ 'x-service-api-key': token }, 'X-Service-API-Key takes an API key, not a token'],
  ];
  for (const [headers, text] of cases) {
    const found = JSON.stringify(credentialOf(headers));
    t.match(found, text, JSON.stringify(headers));
    t.match(found, 'Authorization: Bearer <key>');
    t.notMatch(found, /secret|c2Vj|eyJ|aaaa/);
  }
});

t.test('passes only the hash of a key on', async (t) => {
  t.notMatch(JSON.stringify(credentialOf({ 'x-api-key': key })), key);
});
