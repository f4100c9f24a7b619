import t from 'tap';
import { network, Windows } from '../../../services/api-gateway/work/windows.ts';

t.test('allows the limit exactly, and again once 60 s have passed since the first', async (t) => {
  const windows = new Windows(3);
  const allowed = [0, 10, 20, 59_999].map((ms) => windows.hit('192.0.2.1', 1_000_000 + ms).allowed);
  t.same(allowed, [true, true, true, false]);
  t.match(windows.hit('192.0.2.1', 1_060_000), { allowed: true, remaining: 2, limit: 3, reset: 1120 });
});

t.test('counts addresses separately, and an IPv6 /64 as one', async (t) => {
  const windows = new Windows(1);
  t.ok(windows.hit('192.0.2.1', 0).allowed);
  t.ok(windows.hit('192.0.2.2', 0).allowed);
  t.ok(windows.hit('2001:db8:0:1::1', 0).allowed);
  t.notOk(windows.hit('2001:db8:0:1:ffff::9', 0).allowed);
  t.ok(windows.hit('2001:db8:0:2::1', 0).allowed);
  t.notOk(windows.hit('::ffff:192.0.2.1', 0).allowed);
});

t.test('peeking counts nothing', async (t) => {
  const windows = new Windows(1);
  t.ok(windows.peek('192.0.2.1', 0).allowed);
  t.ok(windows.peek('192.0.2.1', 0).allowed);
  windows.hit('192.0.2.1', 0);
  t.notOk(windows.peek('192.0.2.1', 0).allowed);
});

t.test('normalises the notation of an address', async (t) => {
  t.equal(network('2001:db8::1'), '2001:db8:0:0');
  t.equal(network('2001:0db8:0:0:1:2:3:4'), '2001:db8:0:0');
  t.equal(network('::1'), '0:0:0:0');
  t.equal(network('2001:db8::1:2:3:4:5'), '2001:db8:0:1', 'groups behind the zeros');
  t.equal(network('::1:2:3:4:5:6'), '0:0:1:2');
  t.equal(network('fe80::1%eth0'), 'fe80:0:0:0');
});
