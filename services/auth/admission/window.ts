import type { Config } from '../../../config.ts';
import type { LimitWindow } from '../../../contracts/auth/schemas.ts';
import { instantOrNull } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { selectWindow, type WindowRow } from '../queries/select-window.ts';

type Limits = Pick<Config, 'RATE_LIMIT_API_KEY' | 'RATE_LIMIT_SDK' | 'RATE_LIMIT_DEVELOPER'>;

/** The state of a rate-limit window; the read is not counted. */
export async function readWindow(
  database: Queryable,
  limits: Limits,
  subjectId: string,
): Promise<LimitWindow> {
  const { kind, used, reset_at } = await selectWindow(database, subjectId);
  const limit = limitOf(limits, kind);
  return {
    kind,
    limit,
    used: Math.min(used, limit), // the stored count is greater after a refusal
    remaining: Math.max(0, limit - used),
    reset_at: instantOrNull(reset_at),
  };
}

function limitOf(limits: Limits, kind: WindowRow['kind']): number {
  if (kind === 'api-key') return limits.RATE_LIMIT_API_KEY;
  return kind === 'developer' ? limits.RATE_LIMIT_DEVELOPER : limits.RATE_LIMIT_SDK;
}
