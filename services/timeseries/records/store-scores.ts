import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../../domain/records/records.ts';
import { datedBy } from '../clocks/place.ts';
import { upsertScores } from './queries/upsert-scores.ts';
import type { RecordContext } from './record-context.ts';

/** Stores the scores of an item in place of those of its older version. They are no record of the outcome. */
export async function storeScores(context: RecordContext, item: StoreItem): Promise<void> {
  const { transaction, userId: user_id, provider, normaliserVersion, clockAt } = context;
  const { data_type, key, scores } = item;
  if (scores.length === 0) return;
  const scored = { user_id, provider, data_type, key, normaliser_version: normaliserVersion };
  const rows = scores.map((score) => ({ ...score, ...datedBy(score, clockAt), id: randomUUID() }));
  await upsertScores(transaction, scored, rows);
}
