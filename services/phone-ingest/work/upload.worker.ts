import { serveReadings } from '../../../runtime/reading-thread.ts';
import { readUpload } from '../rules/upload-body.ts';
import type { UploadInput } from './work-sync.ts';

// The thread that reads large uploads.

serveReadings(({ bytes, nowMs, timeZone }: UploadInput) => {
  const { head, batches } = readUpload(Buffer.from(bytes), nowMs, timeZone);
  return { head, pieces: () => batches };
});
