import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { limitUpTo, pageOf } from '../domain/page.ts';
import { CalendarDate } from '../domain/time/time.ts';
import { Flag, SortOrder, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';
import { localDays } from './local-days.ts';
import {
  BodySummary,
  Day,
  ExplainedActivitySummary,
  RecoverySummary,
  SleepSummary,
} from './summaries/schemas.ts';

const rangeNote =
  'A date is a local day of the user. An instant selects the UTC dates that the range touches. Days without data are omitted.';

/** Summaries of days, nights and bodies. */
export const summaries = contract('summaries', {
  activity: action({
    summary: 'List activity summaries, one per local day',
    description: `${rangeNote} If several sources have a value of an additive field, the largest is returned, never their sum.`,
    params: z.object({
      ...localDays,
      limit: limitUpTo(400),
      sort_order: SortOrder.default('asc').describe('`asc`: oldest day first; `desc`: newest day first.'),
      explain: Flag.describe(
        '`true` adds to each day its `explanation`: for each field all sources, their share of the value, and the rule that chose it.',
      ),
    }),
    returns: pageOf(ExplainedActivitySummary).meta({ id: 'ActivitySummaryPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/summaries/activity',
      access: 'data.read',
      reads: 'activity',
      tag: 'Data',
    },
  }),
  days: action({
    summary: 'List the other values of local days: stress, goals, resting values',
    description: `One item per day, with the records of each provider and data type: what it sent of the day that neither a series nor an activity summary has. ${rangeNote} A page has fewer days than \`limit\` if their records are large.`,
    params: z.object({
      ...localDays,
      limit: limitUpTo(100),
      sort_order: SortOrder.default('asc').describe('`asc`: oldest day first; `desc`: newest day first.'),
      provider: ProviderName.optional().describe('Only records of this provider.'),
    }),
    returns: pageOf(Day).meta({ id: 'DayPage' }),
    http: { method: 'GET', path: '/users/:user_id/days', access: 'data.read', reads: 'days', tag: 'Data' },
  }),
  day: action({
    summary: 'Get the other values of one local day',
    description: '`records` is empty if no provider sent any.',
    params: z.object({
      user_id: UserId,
      date: CalendarDate.meta({ description: 'The local day, YYYY-MM-DD.', example: '2026-01-01' }),
    }),
    returns: Day,
    http: {
      method: 'GET',
      path: '/users/:user_id/days/:date',
      access: 'data.read',
      reads: 'days',
      tag: 'Data',
    },
  }),
  sleep: action({
    summary: 'List sleep summaries, one per local day of waking up',
    description: `Oldest first. ${rangeNote} The summary of a night comes from one source. Its main sessions are added up; naps are counted separately.`,
    params: z.object({ ...localDays, limit: limitUpTo(100) }),
    returns: pageOf(SleepSummary).meta({ id: 'SleepSummaryPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/summaries/sleep',
      access: 'data.read',
      reads: 'sleep',
      tag: 'Data',
    },
  }),
  body: action({
    summary: 'Get the current body summary; null if there is no data',
    description:
      '`averaged` covers the last `average_period` local days, today included; `latest` holds readings of the last `latest_window_hours`.',
    params: z.object({
      user_id: UserId,
      average_period: limitUpTo(7, 7).describe(
        'Number of local days that `averaged` covers, 1 to 7. Default: 7.',
      ),
      latest_window_hours: limitUpTo(24, 4).describe(
        'Maximum age of the readings of `latest` in hours, 1 to 24. Default: 4.',
      ),
    }),
    returns: BodySummary.nullable(),
    http: {
      method: 'GET',
      path: '/users/:user_id/summaries/body',
      access: 'data.read',
      reads: 'body',
      tag: 'Data',
    },
  }),
  recovery: action({
    summary: 'List recovery summaries, one per local day',
    description: `What the night says about the day, each measure against the user's own baseline, and the scores of providers beside it. No number is made of them. Oldest first. ${rangeNote}`,
    params: z.object({
      ...localDays,
      limit: limitUpTo(100),
      explain: Flag.describe(
        '`true` adds to each day its `inputs`: the spans, sources and counts of what was used.',
      ),
    }),
    returns: pageOf(RecoverySummary).meta({ id: 'RecoverySummaryPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/summaries/recovery',
      access: 'data.read',
      reads: 'recovery',
      tag: 'Data',
      failures: ['NOT_IMPLEMENTED'],
    },
    timeoutMs: 30_000,
  }),
});
