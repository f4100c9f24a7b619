import { serveReadings } from '../../../runtime/reading-thread.ts';
import { fitContent } from '../rules/fit-content.ts';
import type { FileToRead } from './read-files.ts';

// The thread that reads files of records.

const readers = { fit: fitContent } as const;

serveReadings(({ bytes, format, nowMs }: FileToRead) => ({
  head: readers[format](Buffer.from(bytes), nowMs),
  pieces: () => [].values(),
}));
