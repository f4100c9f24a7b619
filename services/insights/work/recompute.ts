import type { DayFacts } from '../../../domain/insights/day-facts.ts';
import {
  dateAfter,
  daysBetween,
  historyOf,
  trainingOf,
  windowDays,
  windowResults,
} from '../../../domain/insights/day-results.ts';
import { insightMethods } from '../../../domain/insights/methods.ts';
import type { SleepWeights } from '../../../domain/insights/sleep-score.ts';
import { dayMs, localDate } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockLateWrites } from '../../../mixins/database/forgotten-users.ts';
import type { Call } from '../../../runtime/environment.ts';
import { factsOf } from '../rules/facts.ts';
import {
  beginUser,
  type ComputedWith,
  holdUser,
  type NewResults,
  recordChanges,
  selectFacts,
  writeFacts,
  writeResults,
} from '../tables/days.ts';
import { clearDue, type DueDay, selectDue } from '../tables/due-days.ts';

/** What the days of users are computed with. */
export interface Computing {
  readonly database: Database;
  readonly call: Call;
  readonly weights: SleepWeights;
  /** Providers by priority, highest first. */
  readonly priority: readonly string[];
  readonly now: () => number;
}

/** Nothing older is computed. */
const oldestDays = 1100;
/** The days of a read. */
const daysPerRead = 100;
const rangesAtOnce = 2;
/** Days that are due and so near to each other are read at once. */
const nearDays = 3;

/**
 * The versions and weights of methods, and the order of sources. Days that were computed with others are computed
 * again. After a change of versions or sources, their inputs are read again, too.
 */
export function computedWith({ weights, priority }: Pick<Computing, 'weights' | 'priority'>): ComputedWith {
  const { duration, stages, consistency, interruptions } = weights;
  const versions = Object.entries(insightMethods).map(([name, { version }]) => `${name}:${version}`);
  const shares = [duration, stages, consistency, interruptions].join('/');
  return { methods: [...versions, `${beforeWeights}${shares}`].join(' '), sources: priority.join(',') };
}

const beforeWeights = 'weights:';
const versionsOf = ({ methods }: ComputedWith) => methods.split(beforeWeights)[0];

/** The range of dates that are computed. */
export const computedRange = (nowMs: number) => ({
  first_date: localDate(nowMs - oldestDays * dayMs, 0),
  last_date: localDate(nowMs + dayMs, 0),
});

/**
 * Computes the days of a user that are due, all days if none was computed before, or with other settings. Returns the dates whose
 * results changed. Inputs are read before the transaction; whatever changes meanwhile makes the day due again.
 */
export async function recompute(computing: Computing, userId: string): Promise<string[]> {
  const { computed, due } = await selectDue(computing.database, userId);
  const current = computedWith(computing);
  const areInputsNew =
    computed === null || computed.sources !== current.sources || versionsOf(computed) !== versionsOf(current);
  const isNew = areInputsNew || computed.methods !== current.methods;
  if (!isNew && due.length === 0) return [];
  // What changes while inputs are read for the first time makes its day due only of a user who has a row.
  if (computed === null)
    await computing.database.transaction(async (transaction) => {
      await lockLateWrites(transaction, 'insights');
      await beginUser(transaction, userId);
    });
  const ranges = areInputsNew ? await wholeRange(computing, userId) : rangesOf(due.map(({ date }) => date));
  const facts = await readFacts(computing, userId, ranges);
  for (const { date } of due) if (!facts.has(date)) facts.set(date, null);
  return computing.database.transaction(async (transaction) => {
    await lockLateWrites(transaction, 'insights');
    if (!(await holdUser(transaction, userId, current))) return [];
    const changed = await writeFacts(transaction, userId, facts);
    return compute(transaction, {
      userId,
      weights: computing.weights,
      changed,
      isNew,
      due,
      nowMs: computing.now(),
    });
  });
}

interface ComputeWork {
  readonly userId: string;
  readonly weights: SleepWeights;
  readonly changed: readonly string[];
  readonly isNew: boolean;
  readonly due: readonly DueDay[];
  readonly nowMs: number;
}

async function compute(transaction: Queryable, work: ComputeWork): Promise<string[]> {
  const { userId, changed, isNew, due } = work;
  await clearDue(transaction, userId, due);
  if (changed.length === 0 && !isNew) return [];
  const facts = await selectFacts(transaction, userId);
  const results = resultsOf(facts, work);
  if (!isNew) return writeResults(transaction, userId, results);
  const reported = localDate(work.nowMs - reportedMs, 0);
  const { past = [], recent = [] } = Object.groupBy(results, ({ date }) =>
    date < reported ? 'past' : 'recent',
  );
  await recordChanges(transaction, 'off');
  const written = await writeResults(transaction, userId, past);
  await recordChanges(transaction, 'on');
  return [...written, ...(await writeResults(transaction, userId, recent))];
}

/** When all days of a user are computed at once, only changes of the last days are reported. */
const reportedMs = 2 * dayMs;

/**
 * The results that may change: loads of all days after a changed one, and results that look back 60 days only where a
 * changed day is within 60 days.
 */
function resultsOf(
  facts: ReadonlyMap<string, DayFacts>,
  { changed, isNew, weights }: Pick<ComputeWork, 'changed' | 'isNew' | 'weights'>,
): NewResults[] {
  const history = historyOf(facts);
  const training = trainingOf(history);
  const indexes = changed.map((date) => daysBetween(history.firstDate, date));
  const first = isNew ? 0 : Math.min(...indexes);
  const isNear = (index: number) =>
    isNew || indexes.some((changedIndex) => changedIndex <= index && index - changedIndex <= windowDays);
  return [...facts.keys()].flatMap((date): NewResults[] => {
    const index = daysBetween(history.firstDate, date);
    const trainingOfDay = training[index];
    if (trainingOfDay === undefined || index < first) return [];
    return [
      { date, training: trainingOfDay, ...(isNear(index) ? windowResults(history, index, weights) : {}) },
    ];
  });
}

type DateRange = { readonly first_date: string; readonly last_date: string };

async function wholeRange({ call, now }: Computing, user_id: string): Promise<DateRange[]> {
  const { first_date, last_date } = await call('timeseries.daySpan', { user_id, ...computedRange(now()) });
  return first_date === null || last_date === null ? [] : piecesOf({ first_date, last_date });
}

/** Ranges that contain dates, each at most as long as a read. */
function rangesOf(dates: readonly string[]): DateRange[] {
  const ranges: { first_date: string; last_date: string }[] = [];
  for (const date of dates.toSorted()) {
    const last = ranges.at(-1);
    if (last !== undefined && daysBetween(last.last_date, date) <= nearDays) last.last_date = date;
    else ranges.push({ first_date: date, last_date: date });
  }
  return ranges.flatMap(piecesOf);
}

function piecesOf({ first_date, last_date }: DateRange): DateRange[] {
  const pieces = Math.ceil((daysBetween(first_date, last_date) + 1) / daysPerRead);
  return Array.from({ length: pieces }, (_, index) => {
    const first = dateAfter(first_date, index * daysPerRead);
    const last = dateAfter(first, daysPerRead - 1);
    return { first_date: first, last_date: last < last_date ? last : last_date };
  });
}

// Two ranges at once: their statements mostly keep one core of the database busy.
async function readFacts({ call, priority }: Computing, user_id: string, ranges: readonly DateRange[]) {
  const facts = new Map<string, DayFacts | null>();
  for (let first = 0; first < ranges.length; first += rangesAtOnce) {
    const part = ranges.slice(first, first + rangesAtOnce);
    const read = await Promise.all(
      part.map(async (range) => {
        const [stored, activity] = await Promise.all([
          call('timeseries.dayFacts', { user_id, ...range }),
          call('summaries.activity', {
            user_id,
            start_date: range.first_date,
            end_date: range.last_date,
            limit: daysPerRead,
          }),
        ]);
        return factsOf({ stored, activity: activity.data, priority });
      }),
    );
    for (const factsOfRange of read) for (const [date, day] of factsOfRange) facts.set(date, day);
  }
  return facts;
}
