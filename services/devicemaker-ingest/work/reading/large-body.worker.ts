import { serveReadings } from '../../../../runtime/reading-thread.ts';
import {
  LargeBody,
  type LargeBodyInput,
  type LargeBodyQuestion,
  type Outline,
  type Refusal,
} from './large-body.ts';

// The thread that reads large bodies.

serveReadings<LargeBodyInput, Outline | Refusal, LargeBodyQuestion, string>(({ bytes, root }) => {
  const body = LargeBody.open(Buffer.from(bytes), root);
  return typeof body === 'string'
    ? { head: body, pieces: () => [].values() }
    : { head: body.outline, pieces: (question) => body.pieces(question) };
});
