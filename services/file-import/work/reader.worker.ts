import { serveReadings } from '../../../runtime/reading-thread.ts';
import { openFile } from '../rules/read-file.ts';
import { fileBytes, fileFolder } from './file-folder.ts';
import type { ReaderInput } from './open-reader.ts';

// The thread that reads files.

serveReadings(async ({ folder, id, bytes, context }: ReaderInput) => {
  const { kind, batches } = await openFile(fileBytes(fileFolder(folder), id, bytes), context);
  return { head: kind, pieces: () => batches };
});
