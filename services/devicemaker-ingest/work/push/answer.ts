import {
  type ActivityResult,
  type PushAnswer,
  pendingSentence,
} from '../../../../contracts/devicemaker-ingest/answers.ts';
import { isItem } from '../../../../domain/recipe/read-fields.ts';
import { cleanText } from '../../../../providers/devicemaker/normalise/item.ts';
import type { Push } from '../../rules/read-push.ts';
import type { Specials } from '../accounts.ts';
import { type Entry, placeholdersOf, sentencesOf } from '../entries.ts';
import type { BackfillReport } from '../report-received.ts';

/** Input of an answer. */
interface Results {
  readonly push: Push;
  readonly entries: readonly Entry[];
  readonly specials: Specials;
  readonly backfillReport: BackfillReport;
  /** Processing is not finished: counts are partial, and a sentence says so. */
  readonly pending: boolean;
}

// Limit on the sentences of an answer. The rest is reported as a number.
const mostSentences = 1000;

/** The answer to a push: activities one by one, other types as counts, one sentence per error. */
export function pushAnswer({ push, entries, specials, backfillReport, pending }: Results): PushAnswer {
  const known = entries.filter(({ status }) => status !== null);
  const byKey = Map.groupBy(known, ({ key }) => key);
  const activities = known.filter(({ type }) => type.name === 'activities');
  const wellness = push.groups.filter(({ type }) => type.name !== 'activities');
  return {
    ...countsOf(activities),
    total: countsOf(known),
    placeholders: placeholdersOf(entries),
    errors: bounded(
      [...push.errors, ...entries.filter(isTold).flatMap(sentencesOf)],
      pending ? pendingSentence : null,
    ),
    activities: activities.map(activityResult),
    wellness: Object.fromEntries(wellness.map(({ key }) => [key, countsOf(byKey.get(key) ?? [])])),
    backfill_chained: [...backfillReport.chained],
    ...specialAnswers(push, specials),
  };
}

/** The results of the arrays beside the data, if the delivery has them. Zeros if they are not processed yet. */
export function specialAnswers(push: Push, { permissions, deregistered }: Specials) {
  const { updated = 0, errors: unchanged = [] } = permissions ?? {};
  const { revoked = 0, errors: unrevoked = [] } = deregistered ?? {};
  return {
    ...(push.permissionChanges === null
      ? {}
      : { userPermissionsChange: { updated, errors: bounded(unchanged, null) } }),
    ...(push.deregistrations === null
      ? {}
      : { deregistrations: { revoked, errors: bounded(unrevoked, null) } }),
  };
}

function isTold({ status, isLeft }: Entry): boolean {
  return status !== null || isLeft;
}

function countsOf(entries: readonly Entry[]) {
  return { processed: entries.length, saved: savedOf(entries) };
}

function savedOf(entries: readonly Entry[]): number {
  return entries.filter(({ status }) => status === 'saved').length;
}

/** The first thousand sentences and the number of the others, after an optional leading sentence. */
export function bounded(sentences: readonly string[], first: string | null): string[] {
  const more = sentences.length - mostSentences;
  return [
    ...(first === null ? [] : [first]),
    ...sentences.slice(0, mostSentences),
    ...(more > 0 ? [`${more} more`] : []),
  ];
}

/** The line of one activity. Ids are returned as sent, so that the sender can match its items. */
function activityResult(entry: Entry): ActivityResult {
  const sent = isItem(entry.item) ? entry.item : {};
  return {
    activity_id: textOf(sent.activityId) ?? textOf(sent.summaryId),
    name: textOf(sent.activityName),
    type: textOf(sent.activityType),
    garmin_user_id: entry.providerUserId === null ? null : cleanText(entry.providerUserId, 255),
    internal_user_id: entry.linkedUser?.user_id ?? null,
    record_ids: [...entry.recordIds],
    status: entry.status ?? 'validation_error',
  };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? cleanText(value, 500) : null;
}
