import t from 'tap';
import { requireSpace } from '../../../services/file-import/actions/imports.ts';

t.test('a file is refused that would leave less than twice the reserve', async (t) => {
  const config = { DISK_RESERVE_MIB: 512 };
  const reserve = 512 * 1024 * 1024;
  const disk = (free: number) => ({ config, folder: { freeBytes: async () => free } });
  await requireSpace(disk(2 * reserve + 100), 100);
  await t.rejects(requireSpace(disk(2 * reserve + 99), 100), {
    message: 'The disk has no room for this file now.',
  });
});
