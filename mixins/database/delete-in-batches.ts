/** Bounds of a deletion: rows of a batch, batches of a run, and the signal that ends it between two batches. */
export interface DeletionBounds {
  readonly size: number;
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
}

/** Deletes batches until one is not full or a bound is reached. The next run deletes the rest. Returns the rows. */
export async function deleteInBatches(
  deleteBatch: () => Promise<number>,
  { size, most, signal }: DeletionBounds,
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < most && signal?.aborted !== true; batch += 1) {
    const rows = await deleteBatch();
    deleted += rows;
    if (rows < size) break;
  }
  return deleted;
}
