import { serveReadings } from '../../../runtime/reading-thread.ts';
import { openFile } from '../rules/read-file.ts';
import { fileBytes, fileFolder, keepInFolder } from './file-folder.ts';
import type { ReaderInput } from './open-reader.ts';

// The thread that reads files.

serveReadings(async ({ folder: settings, id, bytes, context, cursor }: ReaderInput) => {
  const folder = fileFolder(settings);
  const password = await folder.readPassword(id);
  const options = { cursor, password, keep: keepInFolder(folder, settings, id) };
  const { kind, members, batches } = await openFile(fileBytes(folder, id, bytes), context, options);
  return { head: { kind, members }, pieces: () => batches };
});
