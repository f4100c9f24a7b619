import { type ErrorCode, errorTable } from '../../domain/errors.ts';

/** What a failure of the table looks like to `t.rejects`: its name and its status, also after it crossed the bus. */
export function refusal(type: ErrorCode): { type: ErrorCode; code: number } {
  return { type, code: errorTable[type].status };
}
