import {
  type PingActivityResult,
  type PingAnswer,
  pendingSentence,
} from '../../../contracts/devicemaker-ingest.ts';
import { cleanText } from '../../../providers/devicemaker/normalise/item.ts';
import type { Specials } from '../accounts/specials.ts';
import type { History } from '../items/report-received.ts';
import { bounded, specialAnswers } from '../push/answer.ts';
import type { Group, Push } from '../reading/read-push.ts';
import { isWaiting, type Notice } from './ping-items.ts';

/** All that the answer to a ping is made of. */
export interface PingResults {
  readonly ping: Push;
  readonly notices: readonly Notice[];
  readonly specials: Specials;
  readonly history: History;
  /** Something is left to do: counts are those so far, and a sentence says so. */
  readonly pending: boolean;
}

/**
 * What a ping answers: a line for each notice and each of our users behind its account. `processed` counts notices
 * whose data was fetched or never will be, of activities on top, of each other type under `wellness`.
 */
export function pingAnswer({ ping, notices, specials, history, pending }: PingResults): PingAnswer {
  const activities = notices.filter(({ type }) => type.name === 'activities');
  const byKey = Map.groupBy(notices, ({ key }) => key);
  const wellness = ping.groups.filter(({ type }) => type.name !== 'activities');
  return {
    processed: processedOf(activities),
    total: totalOf(notices),
    placeholders: notices.reduce((sum, notice) => sum + placeholdersOf(notice), 0),
    errors: bounded([...ping.errors, ...sentencesOf(activities)], pending ? pendingSentence : null),
    activities: activities.flatMap(activityResults),
    wellness: Object.fromEntries(
      wellness.map((group) => [group.key, wellnessOf(group, byKey.get(group.key) ?? [], history)]),
    ),
    backfill_chained: [...history.chained],
    ...specialAnswers(ping, specials),
  };
}

function totalOf(notices: readonly Notice[]): PingAnswer['total'] {
  const shares = notices.flatMap(sharesOf);
  return {
    processed: processedOf(notices),
    fetched: shares.reduce((sum, { fetched }) => sum + fetched, 0),
    saved: shares.reduce((sum, { saved }) => sum + saved, 0),
  };
}

function processedOf(notices: readonly Notice[]): number {
  return notices.filter((notice) => !isWaiting(notice)).length;
}

function placeholdersOf({ outcome }: Notice): number {
  return outcome.state === 'fetched' ? outcome.placeholders : 0;
}

function sentencesOf(notices: readonly Notice[]): string[] {
  return notices.flatMap(({ outcome }) => [...outcome.sentences]);
}

/** One user's part of a notice; nobody's where the account is unknown. */
interface Share {
  readonly garmin_user_id: string | null;
  readonly internal_user_id: string | null;
  readonly fetched: number;
  readonly saved: number;
}

function sharesOf({ account, recipients, outcome }: Notice): Share[] {
  const garmin_user_id = account === null ? null : cleanText(account, 255);
  if (outcome.state === 'fetched')
    return outcome.lines.map(({ user_id, fetched, saved }) => {
      return { garmin_user_id, internal_user_id: user_id, fetched, saved };
    });
  const users = recipients.length === 0 ? [null] : recipients.map(({ user_id }) => user_id);
  return users.map((internal_user_id) => ({ garmin_user_id, internal_user_id, fetched: 0, saved: 0 }));
}

function activityResults(notice: Notice): PingActivityResult[] {
  const { state } = notice.outcome;
  return sharesOf(notice).map(({ garmin_user_id, internal_user_id, fetched }) => ({
    garmin_user_id,
    internal_user_id,
    activities_count: fetched,
    status: state === 'refused' ? 'error' : state,
  }));
}

function wellnessOf({ type }: Group, notices: readonly Notice[], { completed }: History) {
  const items = notices.flatMap((notice) =>
    sharesOf(notice).map((share) => ({
      garmin_user_id: share.garmin_user_id,
      internal_user_id: share.internal_user_id,
      type: type.name,
      fetched: share.fetched,
      saved: share.saved,
    })),
  );
  const users = completed.filter((step) => step.type === type.name).map(({ user_id }) => user_id);
  return {
    processed: processedOf(notices),
    saved: items.reduce((sum, { saved }) => sum + saved, 0),
    errors: bounded(sentencesOf(notices), null),
    items,
    new_success_users: [...new Set(users)],
  };
}
