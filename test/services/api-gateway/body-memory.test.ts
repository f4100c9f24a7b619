import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import t from 'tap';
import { BodyMemory } from '../../../services/api-gateway/body/body-memory.ts';
import { refusal } from '../../support/refusal.ts';

const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
const refused = refusal('SERVICE_UNAVAILABLE');

function memoryOf(mostBytes: number) {
  const clock = { ms: 0 };
  return { clock, memory: new BodyMemory(mostBytes, () => clock.ms) };
}

t.test('releases all bytes of a body when it ends', async (t) => {
  const { memory } = memoryOf(100);
  const body = memory.begin(answer());
  memory.take(body, 60);
  memory.take(body, 30);
  t.equal(memory.heldBytes, 90);
  memory.refund(body);
  t.equal(memory.heldBytes, 0);
});

t.test('refuses a body that does not fit beside recent bodies', async (t) => {
  const { memory } = memoryOf(100);
  memory.take(memory.begin(answer()), 90);
  const res = answer();
  t.throws(() => memory.take(memory.begin(res), 20), refused);
  t.equal(res.getHeader('Retry-After'), 5);
  t.equal(res.getHeader('Connection'), 'close');
  t.equal(memory.heldBytes, 90);
});

t.test('a body that exceeds all memory is accepted alone', async (t) => {
  const { memory } = memoryOf(100);
  const body = memory.begin(answer());
  memory.take(body, 90);
  memory.take(body, 90);
  t.equal(memory.heldBytes, 180);
});

t.test('the slowest body is dropped once it is no longer recent', async (t) => {
  const { clock, memory } = memoryOf(100);
  const fast = memory.begin(answer());
  memory.take(fast, 60);
  const slow = memory.begin(answer());
  memory.take(slow, 30);
  clock.ms = 2001;
  const newcomer = memory.begin(answer());
  memory.take(newcomer, 40);
  t.ok(slow.ending.signal.aborted);
  t.match(slow.ending.signal.reason, refused);
  t.notOk(fast.ending.signal.aborted);
  t.equal(memory.heldBytes, 100);
  memory.refund(slow);
  t.equal(memory.heldBytes, 100, 'what it held was given back once');
});

t.test('a complete body is not dropped', async (t) => {
  const { clock, memory } = memoryOf(100);
  const complete = memory.begin(answer());
  memory.take(complete, 90);
  complete.isArriving = false;
  clock.ms = 60_000;
  t.throws(() => memory.take(memory.begin(answer()), 20), refused);
  t.notOk(complete.ending.signal.aborted);
});

t.test('a quarter of the memory is reserved for small bodies', async (t) => {
  const mebibyte = 1024 * 1024;
  const { memory } = memoryOf(8 * mebibyte);
  memory.take(memory.begin(answer()), 5 * mebibyte);
  const large = memory.begin(answer());
  memory.take(large, mebibyte);
  t.throws(() => memory.take(large, 1), refused);
  memory.take(memory.begin(answer()), mebibyte);
  memory.take(memory.begin(answer()), mebibyte);
  t.throws(() => memory.take(memory.begin(answer()), 1), refused);
});
