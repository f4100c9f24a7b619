import t from 'tap';
import { threadHeapMb } from '../../runtime/thread-heap.ts';

t.test('the heap limit of a thread fits its container', async (t) => {
  const mebibyte = 1024 * 1024;
  const cases: readonly [wanted: number, containerMb: number, atOnce: number, limit: number][] = [
    [1280, 1024, 1, 640],
    [1280, 4096, 1, 1280],
    [1280, 0, 1, 1280],
    [256, 1024, 2, 256],
    [256, 768, 2, 192],
    [256, 256, 2, 64],
  ];
  for (const [wanted, containerMb, atOnce, limit] of cases)
    t.equal(
      threadHeapMb(wanted, { atOnce, containerBytes: containerMb * mebibyte }),
      limit,
      `${wanted} of ${containerMb} MB, ${atOnce} at once`,
    );
  t.equal(threadHeapMb(1280, { containerBytes: Number.MAX_SAFE_INTEGER }), 1280, 'no limit of cgroup v2');
});
