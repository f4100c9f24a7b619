import t from 'tap';
import { requireSpace } from '../../../services/file-import/actions/imports.ts';

t.test('a file is refused that would leave less than twice the reserve', async (t) => {
  const disk = (free: number) => ({ reserveBytes: 512, folder: { freeBytes: async () => free } });
  await requireSpace(disk(2 * 512 + 100), 100);
  await t.rejects(requireSpace(disk(2 * 512 + 99), 100), {
    message: 'The disk has no room for this file now.',
  });
});
