import {
  type ActivityResult,
  type PushAnswer,
  pendingSentence,
} from '../../../contracts/devicemaker-ingest.ts';
import { cleanText, isObject } from '../../../providers/devicemaker/normalise/item.ts';
import type { Specials } from '../accounts/specials.ts';
import { type Entry, placeholdersOf, sentencesOf } from '../items/entries.ts';
import type { History } from '../items/report-received.ts';
import type { Push } from '../reading/read-push.ts';

/** All that an answer is made of. */
export interface Results {
  readonly push: Push;
  readonly entries: readonly Entry[];
  readonly specials: Specials;
  readonly history: History;
  /** Something is left to do: counts are those so far, and a sentence says so. */
  readonly pending: boolean;
}

// The answer is for people and logs of a sender: past this many sentences a number says it as well.
const mostSentences = 1000;

/** What a push answers: activities one by one, the other types in numbers, every reason in a sentence. */
export function pushAnswer({ push, entries, specials, history, pending }: Results): PushAnswer {
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
    backfill_chained: [...history.chained],
    ...specialAnswers(push, specials),
  };
}

/** The arrays beside the data, where the delivery has them; with zeros where they are not done yet. */
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

/** The first thousand sentences and the number of the others, behind one that goes before all. */
export function bounded(sentences: readonly string[], first: string | null): string[] {
  const more = sentences.length - mostSentences;
  return [
    ...(first === null ? [] : [first]),
    ...sentences.slice(0, mostSentences),
    ...(more > 0 ? [`${more} more`] : []),
  ];
}

/** The line of one activity. Names go back as they came: the sender finds its own items by them. */
export function activityResult(entry: Entry): ActivityResult {
  const sent = isObject(entry.item) ? entry.item : {};
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
