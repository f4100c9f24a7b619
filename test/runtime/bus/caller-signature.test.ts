import { randomBytes } from 'node:crypto';
import t from 'tap';
import {
  CallerVerifier,
  callerKey,
  callerPublicKey,
  signPacket,
} from '../../../runtime/bus/caller-signature.ts';

const hex = () => randomBytes(32).toString('hex');
const [key, otherKey] = [hex(), hex()];
const packet = Buffer.from('{"action":"auth.createKey","params":{"name":"x"}}');
const now = Date.parse('2026-11-23T12:00:00Z');
const receiver = 'a public key';

t.test('a signature is accepted once, by the process that it names', async (t) => {
  const signed = signPacket(packet, receiver, callerKey(key), now);
  const verifier = new CallerVerifier([callerPublicKey(key)]);
  t.same(verifier.read(signed, receiver, now), { packet, isVerified: true });
  t.same(verifier.read(signed, receiver, now), { packet, isVerified: false }, 'sent again');
  const elsewhere = new CallerVerifier([callerPublicKey(key)]);
  t.equal(elsewhere.read(signed, 'another public key', now).isVerified, false);
});

t.test('it expires after 30 seconds, and one from the far future is refused', async (t) => {
  const at = (ms: number) => {
    const signed = signPacket(packet, receiver, callerKey(key), now + ms);
    return new CallerVerifier([callerPublicKey(key)]).read(signed, receiver, now).isVerified;
  };
  t.same([-30_000, -29_999, 30_000, 30_001].map(at), [false, true, true, false]);
});

t.test('a used signature is remembered until it expires', async (t) => {
  const verifier = new CallerVerifier([callerPublicKey(key)]);
  const signed = signPacket(packet, receiver, callerKey(key), now);
  t.equal(verifier.read(signed, receiver, now).isVerified, true);
  for (const ms of [1, 15_000, 29_999, 30_000, 60_000])
    t.equal(verifier.read(signed, receiver, now + ms).isVerified, false, `${ms} ms later`);
});

t.test('an expired signature is forgotten with the next one', async (t) => {
  const verifier = new CallerVerifier([callerPublicKey(key)]);
  const read = (ms: number) =>
    verifier.read(signPacket(packet, receiver, callerKey(key), now + ms), receiver, now + ms);
  for (const ms of [0, 10_000, 31_000]) t.equal(read(ms).isVerified, true);
  t.equal(verifier.remembered, 2);
});

t.test('a changed byte, another key, and no signature are not verified', async (t) => {
  const signed = signPacket(packet, receiver, callerKey(key), now);
  const isVerified = (content: Buffer, keys = [callerPublicKey(key)]) =>
    new CallerVerifier(keys).read(content, receiver, now).isVerified;
  const accepted: number[] = [];
  for (let at = 0; at < signed.length; at++) {
    const changed = Buffer.from(signed);
    changed.writeUInt8(signed.readUInt8(at) ^ 1, at);
    if (isVerified(changed)) accepted.push(at);
  }
  t.same(accepted, []);
  t.equal(isVerified(signed, [callerPublicKey(otherKey)]), false);
  t.equal(isVerified(packet), false);
  t.equal(isVerified(signed.subarray(0, 20)), false);
});

t.test('during a rotation each of several keys verifies', async (t) => {
  const keys = [callerPublicKey(otherKey), callerPublicKey(key)];
  for (const one of [key, otherKey]) {
    const signed = signPacket(packet, receiver, callerKey(one), now);
    t.equal(new CallerVerifier(keys).read(signed, receiver, now).isVerified, true);
  }
  t.equal(new CallerVerifier([]).isRequired, false);
  t.equal(new CallerVerifier(keys).isRequired, true);
});
