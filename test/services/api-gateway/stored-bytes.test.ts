import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { StoredBytes } from '../../../mixins/inbox/inbox-stored.ts';
import { StoredBytesLimit } from '../../../services/api-gateway/body/stored-bytes.ts';
import { refusal } from '../../support/refusal.ts';

const mebibyte = 1024 * 1024;
const limits = { WEBHOOK_STORED_MIB: 100, WEBHOOK_STORED_ADDRESS_MIB: 10, DISK_RESERVE_MIB: 5 };
const stranger = { name: 'address:192.0.2.1', isStranger: true };
const other = { name: 'address:192.0.2.2', isStranger: true };
const provider = { name: 'provider:devicemaker', isStranger: false };

function limitOf(start: Partial<StoredBytes> = {}) {
  const world = {
    sums: { totalBytes: 0, strangersBytes: 0, senders: new Map<string, number>(), ...start },
    freeBytes: null as number | null,
    added: [] as [string, number][][],
    isAway: false,
    warned: [] as unknown[],
    nowMs: 0,
  };
  const limit = new StoredBytesLimit(limits, {
    async add(bytes) {
      if (world.isAway) throw new Error('away');
      world.added.push([...bytes]);
      return world.sums;
    },
    freeBytes: async () => world.freeBytes,
    logger: { warn: (...line: unknown[]) => void world.warned.push(line) },
    now: () => world.nowMs,
  });
  return { limit, world };
}

const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
const full = refusal('SERVICE_UNAVAILABLE');

function isTaken(limit: StoredBytesLimit, sender: typeof stranger, mebibytes: number): boolean {
  try {
    limit.refuseIfFull(sender, mebibytes * mebibyte, answer());
    return true;
  } catch {
    return false;
  }
}

t.test('each address and the provider have their own storage limits', async (t: Test) => {
  const { limit } = limitOf();
  limit.add(stranger, 8 * mebibyte);
  t.ok(isTaken(limit, stranger, 1));
  const res = answer();
  t.throws(() => limit.refuseIfFull(stranger, 2 * mebibyte, res), full);
  t.equal(res.getHeader('Retry-After'), 600);
  t.ok(isTaken(limit, other, 2));
  t.ok(isTaken(limit, provider, 50));
});

t.test('bytes stored by other gateways count after the next exchange', async (t) => {
  const { limit, world } = limitOf({ senders: new Map([[stranger.name, 9.5 * mebibyte]]) });
  t.ok(isTaken(limit, stranger, 1));
  limit.add(stranger, 100);
  await limit.exchange();
  t.same(world.added, [[[stranger.name, 1124]]], 'a row counts with its body');
  t.notOk(isTaken(limit, stranger, 1));
});

t.test('a refused sender is accepted again when storage is free', async (t) => {
  const { limit, world } = limitOf({ senders: new Map([[stranger.name, 10 * mebibyte]]) });
  limit.add(stranger, 0);
  await limit.exchange();
  t.notOk(isTaken(limit, stranger, 1));
  world.sums = { ...world.sums, senders: new Map([[stranger.name, mebibyte]]) };
  await limit.exchange();
  t.same(world.added.at(-1), [[stranger.name, 0]]);
  t.ok(isTaken(limit, stranger, 1));
});

t.test('all senders share a limit, a quarter of which is reserved for providers', async (t) => {
  const { limit, world } = limitOf({ totalBytes: 74.5 * mebibyte, strangersBytes: 74.5 * mebibyte });
  await limit.exchange();
  t.notOk(isTaken(limit, stranger, 1));
  t.ok(isTaken(limit, provider, 25));
  t.notOk(isTaken(limit, provider, 26));
  world.sums = { ...world.sums, totalBytes: 74.5 * mebibyte, strangersBytes: 70 * mebibyte };
  world.nowMs = 10_000;
  await limit.exchange();
  t.ok(isTaken(limit, stranger, 1), 'what the providers stored does not count among strangers');
});

t.test('deliveries are refused when the disk is nearly full', async (t) => {
  const { limit, world } = limitOf();
  world.freeBytes = 4 * mebibyte;
  await limit.exchange();
  t.notOk(isTaken(limit, provider, 0));
  t.match(world.warned, [['webhook.storage_full', { limit: 'DISK_RESERVE_MIB' }]]);
  world.freeBytes = 5 * mebibyte;
  await limit.exchange();
  t.ok(isTaken(limit, provider, 0));
});

t.test('counts of a failed exchange are added at the next one', async (t) => {
  const { limit, world } = limitOf();
  limit.add(stranger, 1000);
  world.isAway = true;
  await t.rejects(limit.exchange());
  limit.add(stranger, 1000);
  world.isAway = false;
  await limit.exchange();
  t.same(world.added, [[[stranger.name, 2 * 2024]]]);
  await limit.exchange();
  t.equal(world.added.length, 1, 'with nothing to add the database is not asked each time');
  world.nowMs = 10_000;
  await limit.exchange();
  t.equal(world.added.length, 2);
});

t.test('warns once a minute before it refuses', async (t) => {
  const { limit, world } = limitOf({ totalBytes: 81 * mebibyte });
  await limit.exchange();
  t.match(world.warned, [['webhook.storage_filling', { limit: 'WEBHOOK_STORED_MIB', stored_mib: 81 }]]);
  world.nowMs = 59_999;
  await limit.exchange();
  t.equal(world.warned.length, 1);
  world.nowMs = 70_000;
  await limit.exchange();
  t.equal(world.warned.length, 2);
});
