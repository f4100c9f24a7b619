import { extraOf } from '../../../domain/provider/extra-fields.ts';
import type { SleepDetails, SleepScorePart } from '../../../domain/records/records.ts';
import { sleeps } from '../fields/sleeps.ts';
import { cleanText, isObject } from './item.ts';

/** The most parts of a score. */
const mostParts = 30;
const longestText = 60;

/**
 * The validation, the score's parts and the extra fields of a sleep. Null if the item has none of it.
 */
export function sleepDetails(item: unknown, validation: string | null): SleepDetails | null {
  if (!isObject(item)) return null;
  const { overallSleepScore: overall, sleepScores } = item;
  const details = {
    validation,
    score_qualifier: isObject(overall) ? textOf(overall.qualifierKey) : null,
    score_parts: partsOf(sleepScores),
    latency_seconds: null,
    extra: extraOf(item, sleeps),
  };
  const { score_qualifier, score_parts, extra } = details;
  const isEmpty = validation === null && score_qualifier === null && extra === null;
  return isEmpty && score_parts.length === 0 ? null : details;
}

// `{ totalDuration: { qualifierKey: 'FAIR', value: 70 } }`; the value is optional.
function partsOf(scores: unknown): SleepScorePart[] {
  const entries = isObject(scores) ? Object.entries(scores).slice(0, mostParts) : [];
  return entries.flatMap(([key, part]) => {
    const name = textOf(key);
    const value = finiteOf(isObject(part) ? part.value : part);
    const qualifier = isObject(part) ? textOf(part.qualifierKey) : null;
    return name === null || (value === null && qualifier === null) ? [] : [{ name, value, qualifier }];
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? cleanText(value, longestText) || null : null;
}

function finiteOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
