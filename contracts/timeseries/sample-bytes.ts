import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';

const Count = z.int().nonnegative();

/** The space of samples on disk, with indexes. */
export const SampleBytes = z
  .object({
    plain_bytes: Count.describe('Rows that are not compressed, with their indexes.'),
    compressed_bytes: Count.describe('Compressed rows, with their indexes.'),
    chunks: Count,
    compressed_chunks: Count,
  })
  .meta({
    id: 'SampleBytes',
    description: 'The space that samples take on disk. A chunk has 30 days of all users.',
  });
export type SampleBytes = z.infer<typeof SampleBytes>;

/** The action that measures the space of samples, for `GET /status`. */
export const sampleBytesActions = {
  sampleBytes: action({
    summary: 'Measure the space of samples on disk',
    params: Nothing,
    returns: SampleBytes,
    idempotent: true,
  }),
};
