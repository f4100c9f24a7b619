import t from 'tap';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';

const old = 'the old secret that has 32 characters';
const fresh = 'the new secret that has 32 characters';

t.test('gives back what was encrypted, and never the same value twice', async (t) => {
  const cipher = cipherOf({ ENCRYPTION_KEY: [old] });
  const [one, two] = [cipher.encrypt('tökén', 'row 1'), cipher.encrypt('tökén', 'row 1')];
  t.not(one, two);
  t.notMatch(one, /tökén/);
  t.equal(cipher.decrypt(one, 'row 1'), 'tökén');
  t.equal(cipher.decrypt(two, 'row 1'), 'tökén');
  t.equal(cipher.decrypt(cipher.encrypt('', 'row 1'), 'row 1'), '');
});

t.test('refuses a value that was moved to another row', async (t) => {
  const cipher = cipherOf({ ENCRYPTION_KEY: [old] });
  t.throws(() => cipher.decrypt(cipher.encrypt('token', 'row 1'), 'row 2'));
});

t.test('refuses a value with any of its parts changed', async (t) => {
  const cipher = cipherOf({ ENCRYPTION_KEY: [old] });
  const parts = cipher.encrypt('token', 'row 1').split('.');
  t.equal(parts.length, 4);
  for (const [index, part] of parts.entries()) {
    const changed = parts.with(index, `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`).join('.');
    t.throws(() => cipher.decrypt(changed, 'row 1'), `part ${index}`);
  }
  t.throws(() => cipher.decrypt(parts.slice(0, 3).join('.'), 'row 1'), 'without its tag');
  t.throws(() => cipher.decrypt('', 'row 1'));
});

t.test('a new secret in front encrypts, and the old one still decrypts', async (t) => {
  const before = cipherOf({ ENCRYPTION_KEY: [old] }).encrypt('token', 'row 1');
  const rotated = cipherOf({ ENCRYPTION_KEY: [fresh, old] });
  t.equal(rotated.decrypt(before, 'row 1'), 'token');
  const after = rotated.encrypt('token', 'row 1');
  t.equal(cipherOf({ ENCRYPTION_KEY: [fresh] }).decrypt(after, 'row 1'), 'token');
  t.throws(() => cipherOf({ ENCRYPTION_KEY: [fresh] }).decrypt(before, 'row 1'), /no configured key/);
  t.throws(() => cipherOf({ ENCRYPTION_KEY: [old] }).decrypt(after, 'row 1'), /no configured key/);
});

t.test('says which setting is missing', async (t) => {
  t.throws(() => cipherOf({ ENCRYPTION_KEY: undefined }), /ENCRYPTION_KEY is not set/);
});
