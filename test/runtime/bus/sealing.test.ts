import { generateKeyPairSync, randomBytes } from 'node:crypto';
import t from 'tap';
import { isSealed, mostPeers, Sealing } from '../../../runtime/bus/sealing.ts';

const [one, other, third] = [new Sealing(), new Sealing(), new Sealing()];

t.test('a message is opened by the process that it was sealed for, and answered to its sender', async (t) => {
  for (const size of [0, 1, 70_000]) {
    const content = randomBytes(size);
    const message = one.seal(content, other.publicKey);
    t.ok(isSealed(message));
    const opened = other.open(message);
    t.same(opened, { content, sender: one.publicKey });
    t.same(one.open(other.seal(content, opened.sender)).content, content);
  }
});

t.test('the same content is never sealed to the same bytes', async (t) => {
  const content = Buffer.from('{"key":"pk_live"}');
  const messages = Array.from({ length: 100 }, () => one.seal(content, other.publicKey).toString('hex'));
  t.equal(new Set(messages).size, 100);
  t.notOk(messages.some((message) => message.includes(content.toString('hex'))));
});

t.test('a changed, shortened, misdirected or reflected message is refused', async (t) => {
  const message = one.seal(Buffer.from('{"a":1}'), other.publicKey);
  for (let at = 0; at < message.length; at++) {
    const changed = Buffer.from(message);
    changed.writeUInt8(message.readUInt8(at) ^ 1, at);
    t.throws(() => other.open(changed), `byte ${at}`);
    t.throws(() => other.open(message.subarray(0, at)), `length ${at}`);
  }
  t.throws(() => third.open(message));
  t.throws(() => one.open(message));
  t.throws(() => other.open(Buffer.from('{"ver":"5"}')), /not sealed/);
});

t.test('a public key of no order is refused', async (t) => {
  const zero = Buffer.alloc(32).toString('base64url');
  t.throws(() => one.seal(Buffer.from('x'), zero));
  t.throws(() => one.seal(Buffer.from('x'), 'short'));
});

t.test('keys of a bounded number of processes are kept', async (t) => {
  const sealing = new Sealing();
  for (let n = 0; n < mostPeers + 2; n++)
    sealing.seal(Buffer.of(), generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x ?? '');
  t.equal(sealing.peers, mostPeers);
});
