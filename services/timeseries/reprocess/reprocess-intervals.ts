import { noChanges, noItems } from '../../../contracts/reprocess.ts';
import type { Database } from '../../../mixins/database/database.ts';
import {
  type IntervalCircumstances,
  type IntervalRequest,
  storeIntervalsIn,
} from '../work/store-intervals.ts';
import { inReprocess, type ReprocessScope } from './in-reprocess.ts';
import type { Reprocessed } from './reprocess.ts';

/**
 * Stores intervals of a kept delivery again. The caller leaves out those that a newer delivery contains. They are counted
 * as samples. @throws USER_ERASED (410)
 */
export async function reprocessIntervals(
  database: Database,
  request: ReprocessScope & Pick<IntervalRequest, 'sources' | 'intervals' | 'unmade_ids'>,
  circumstances: IntervalCircumstances,
): Promise<Reprocessed> {
  const given = { ...request, spans: [], deleted_ids: [] };
  const { saved, replaced, unchanged, deleted, ignored_ids } = await inReprocess(
    database,
    request,
    (transaction) => storeIntervalsIn(transaction, given, circumstances),
  );
  const superseded = ignored_ids.length;
  return {
    changes: {
      ...noChanges(),
      samples: { added: saved, changed: replaced, removed: deleted, identical: unchanged },
    },
    items: { ...noItems(), processed: request.intervals.length - superseded, superseded },
  };
}
