import type { Config } from '../../../config.ts';
import {
  type ActivityResult,
  type PingAnswer,
  type PushAnswer,
  reducedSentence,
} from '../../../contracts/devicemaker-ingest/answers.ts';
import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import { cleanText } from '../../../providers/devicemaker/normalise/item.ts';
import { hidesAccounts } from '../../../runtime/provider-settings.ts';
import { type Entry, entriesOf, providerUserIdOf, sentencesOf } from '../items/entries.ts';
import { UnknownItems } from '../items/unknown-items.ts';
import { activityResult, bounded } from '../push/answer.ts';
import type { Group, Push } from '../reading/read-push.ts';
import { readChange } from './permissions.ts';

/**
 * Answers to unauthenticated senders. They have the shape of full answers but derive from the body alone, so that they
 * do not reveal whether an account exists. `processed`, `updated` and `revoked` count what was accepted.
 */

/** Answers a delivery at once with a reduced answer if the full answer must not be given. */
export async function answering(
  config: Config,
  job: Job,
  reduced: () => unknown,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (!hidesAccounts(config, 'devicemaker', job.authenticated)) return work();
  const answer = reduced();
  await job.answerEarly(answer);
  const outcome = await work();
  return 'answer' in outcome ? { ...outcome, answer } : outcome;
}

/** The reduced answer to a push. It lists at most `mostListed` items. */
export function reducedPush(push: Push, receivedMs: number, mostListed: number): PushAnswer {
  const { activities, wellness, processed, unlisted } = listedOf(push, mostListed);
  const entries = [...activities, ...wellness].flatMap((group) =>
    entriesOf(group, new Map(), new UnknownItems(mostListed)),
  );
  const problems = [...push.errors, ...unlisted, ...entries.flatMap(formProblems)];
  return {
    ...{ processed: countOf(activities), saved: 0, total: { processed, saved: 0 }, placeholders: 0 },
    errors: bounded(problems, reducedSentence),
    activities: entries.filter(({ type }) => type.name === 'activities').map(acceptedActivity),
    wellness: Object.fromEntries(wellness.map(({ key, count }) => [key, { processed: count, saved: 0 }])),
    backfill_chained: [],
    ...reducedSpecials(push, receivedMs),
  };
}

/** The reduced answer to a ping. It lists at most `mostListed` items. */
export function reducedPing(ping: Push, receivedMs: number, mostListed: number): PingAnswer {
  const { activities, wellness, processed, unlisted } = listedOf(ping, mostListed);
  return {
    processed: countOf(activities),
    total: { processed, fetched: 0, saved: 0 },
    placeholders: 0,
    errors: bounded([...ping.errors, ...unlisted], reducedSentence),
    activities: activities.flatMap(({ items }) => items.map(acceptedPingItem)),
    wellness: Object.fromEntries(wellness.map((group) => [group.key, reducedWellness(group)])),
    backfill_chained: [],
    ...reducedSpecials(ping, receivedMs),
  };
}

/** A group with the items that are listed. `count` is the number of all its items. */
interface ListedGroup extends Group {
  readonly count: number;
}

// The first items of a delivery, over all keys. The number is bounded because a small body can name many items.
function listedOf({ groups }: Push, mostListed: number) {
  let left = mostListed;
  const listed = groups.map((group): ListedGroup => {
    const items = group.items.slice(0, left);
    left -= items.length;
    return { ...group, items, count: group.items.length };
  });
  return {
    activities: listed.filter(({ type }) => type.name === 'activities'),
    wellness: listed.filter(({ type }) => type.name !== 'activities'),
    processed: countOf(listed),
    unlisted: listed
      .filter(({ items, count }) => items.length < count)
      .map(({ key, items, count }) => `${key}: ${count - items.length} more items are not listed`),
  };
}

function countOf(groups: readonly ListedGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

function acceptedPingItem(item: unknown): PingAnswer['activities'][number] {
  const garmin_user_id = accountOf(item);
  const status = garmin_user_id === null ? 'error' : 'accepted';
  return { garmin_user_id, internal_user_id: null, activities_count: 0, status };
}

function reducedWellness({ type, items, count }: ListedGroup): PingAnswer['wellness'][string] {
  return {
    ...{ processed: count, saved: 0, errors: [], new_success_users: [] },
    items: items.map((item) => ({
      ...{ garmin_user_id: accountOf(item), internal_user_id: null, type: type.name, fetched: 0, saved: 0 },
    })),
  };
}

function accountOf(item: unknown): string | null {
  const id = providerUserIdOf(item);
  return id === null ? null : cleanText(id, 255);
}

// Users are not looked up: that an item names no user reveals nothing about an account.
function formProblems(entry: Entry): string[] {
  return entry.status === 'validation_error' ? sentencesOf(entry) : [];
}

function acceptedActivity(entry: Entry): ActivityResult {
  const status = entry.status === 'validation_error' ? ('validation_error' as const) : ('accepted' as const);
  return { ...activityResult(entry), record_ids: null, status };
}

function reducedSpecials({ permissionChanges, deregistrations }: Push, receivedMs: number) {
  const arrival = { receivedMs, authenticated: false };
  const changes = permissionChanges?.map((item) => readChange(item, arrival)) ?? [];
  const broken = changes.flatMap((change, index) =>
    typeof change === 'string' ? [`userPermissionsChange[${index}]: ${change}`] : [],
  );
  const leavers = deregistrations?.map(providerUserIdOf) ?? [];
  const nameless = leavers.flatMap((id, index) =>
    id === null ? [`deregistrations[${index}]: userId: must be a text`] : [],
  );
  const updated = { updated: changes.length - broken.length, errors: bounded(broken, null) };
  const revoked = { revoked: leavers.length - nameless.length, errors: bounded(nameless, null) };
  return {
    ...(permissionChanges === null ? {} : { userPermissionsChange: updated }),
    ...(deregistrations === null ? {} : { deregistrations: revoked }),
  };
}
