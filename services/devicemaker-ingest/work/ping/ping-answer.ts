import {
  type PingActivityResult,
  type PingAnswer,
  pendingSentence,
} from '../../../../contracts/devicemaker-ingest/answers.ts';
import { cleanText } from '../../../../providers/devicemaker/normalise/item.ts';
import type { Group, Push } from '../../rules/read-push.ts';
import type { Specials } from '../accounts.ts';
import { bounded, specialAnswers } from '../push/answer.ts';
import type { BackfillReport } from '../report-received.ts';
import { isWaiting, type PingItem } from './ping-items.ts';

/** Input of the answer to a ping. */
interface PingResults {
  readonly ping: Push;
  readonly pingItems: readonly PingItem[];
  readonly specials: Specials;
  readonly backfillReport: BackfillReport;
  /** Processing is not finished: counts are partial, and a sentence says so. */
  readonly pending: boolean;
}

/**
 * The answer to a ping: one line for each ping item and each linked user. `processed` counts ping items whose data was
 * fetched or never will be: activities at the top level, other types under `wellness`.
 */
export function pingAnswer({ ping, pingItems, specials, backfillReport, pending }: PingResults): PingAnswer {
  const activities = pingItems.filter(({ type }) => type.name === 'activities');
  const byKey = Map.groupBy(pingItems, ({ key }) => key);
  const wellness = ping.groups.filter(({ type }) => type.name !== 'activities');
  return {
    processed: processedOf(activities),
    total: totalOf(pingItems),
    placeholders: pingItems.reduce((sum, pingItem) => sum + placeholdersOf(pingItem), 0),
    errors: bounded([...ping.errors, ...sentencesOf(activities)], pending ? pendingSentence : null),
    activities: activities.flatMap(activityResults),
    wellness: Object.fromEntries(
      wellness.map((group) => [group.key, wellnessOf(group, byKey.get(group.key) ?? [], backfillReport)]),
    ),
    backfill_chained: [...backfillReport.chained],
    ...specialAnswers(ping, specials),
  };
}

function totalOf(pingItems: readonly PingItem[]): PingAnswer['total'] {
  const shares = pingItems.flatMap(sharesOf);
  return {
    processed: processedOf(pingItems),
    fetched: shares.reduce((sum, { fetched }) => sum + fetched, 0),
    saved: shares.reduce((sum, { saved }) => sum + saved, 0),
  };
}

function processedOf(pingItems: readonly PingItem[]): number {
  return pingItems.filter((pingItem) => !isWaiting(pingItem)).length;
}

function placeholdersOf({ outcome }: PingItem): number {
  return outcome.state === 'fetched' ? outcome.placeholders : 0;
}

function sentencesOf(pingItems: readonly PingItem[]): string[] {
  return pingItems.flatMap(({ outcome }) => [...outcome.sentences]);
}

/** One user's part of a ping item. The user is null if the account is unknown. */
interface Share {
  readonly garmin_user_id: string | null;
  readonly internal_user_id: string | null;
  readonly fetched: number;
  readonly saved: number;
}

function sharesOf({ account, linkedUsers, outcome }: PingItem): Share[] {
  const garmin_user_id = account === null ? null : cleanText(account, 255);
  if (outcome.state === 'fetched')
    return outcome.lines.map(({ user_id, fetched, saved }) => {
      return { garmin_user_id, internal_user_id: user_id, fetched, saved };
    });
  const users = linkedUsers.length === 0 ? [null] : linkedUsers.map(({ user_id }) => user_id);
  return users.map((internal_user_id) => ({ garmin_user_id, internal_user_id, fetched: 0, saved: 0 }));
}

function activityResults(pingItem: PingItem): PingActivityResult[] {
  const { state } = pingItem.outcome;
  return sharesOf(pingItem).map(({ garmin_user_id, internal_user_id, fetched }) => ({
    garmin_user_id,
    internal_user_id,
    activities_count: fetched,
    status: state === 'refused' ? 'error' : state,
  }));
}

function wellnessOf({ type }: Group, pingItems: readonly PingItem[], { completed }: BackfillReport) {
  const items = pingItems.flatMap((pingItem) =>
    sharesOf(pingItem).map((share) => ({
      garmin_user_id: share.garmin_user_id,
      internal_user_id: share.internal_user_id,
      type: type.name,
      fetched: share.fetched,
      saved: share.saved,
    })),
  );
  const users = completed.filter((step) => step.type === type.name).map(({ user_id }) => user_id);
  return {
    processed: processedOf(pingItems),
    saved: items.reduce((sum, { saved }) => sum + saved, 0),
    errors: bounded(sentencesOf(pingItems), null),
    items,
    new_success_users: [...new Set(users)],
  };
}
