import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { PullPage, PullPart, PullReply, PullRequest } from '../../domain/provider/pulled-provider.ts';
import { bodyOf, type ListCall, listRequest, readList } from './calls.ts';
import { dataFieldsOf } from './data-fields.ts';
import type { SleepRead } from './normalise/sleep.ts';

/** Sleep is read in two steps that are pages of one pass: the nights, then the stages of each night. */
const nights: ListCall = {
  path: '/v2/sleep',
  form: { action: 'getsummary', data_fields: dataFieldsOf('sleep') },
  list: 'series',
  spansBy: 'days',
};

/** The nights whose stages are not read yet, and the page of the list of nights, null after its last page. */
const Step = z.object({
  left: z.array(z.tuple([z.int(), z.int()])),
  list: z.string().nullable(),
  cursor: z.string().nullable(),
});

type Step = z.output<typeof Step>;

const daySeconds = 86_400;

function stepOf({ page }: PullPart): Step | null {
  return page === null ? null : (Step.safeParse(jsonOrNull(page)).data ?? null);
}

/** The request of the next page: of nights first, then of the stages of one night. */
export function sleepRequest(part: PullPart): PullRequest {
  const step = stepOf(part);
  const [night] = step?.left ?? [];
  if (step === null || step.list !== null || night === undefined)
    return listRequest(nights, { ...part, page: step?.list ?? null });
  const [startdate, enddate] = night;
  // A call answers the first 24 hours of its window.
  const window = { startdate: String(startdate), enddate: String(Math.min(enddate, startdate + daySeconds)) };
  return { path: '/v2/sleep', form: { action: 'get', data_fields: dataFieldsOf('stages'), ...window } };
}

/** Stages have a state, nights have none. */
export function splitNights(records: readonly unknown[]): SleepRead {
  const isStage = (record: unknown) => typeof record === 'object' && record !== null && 'state' in record;
  return { nights: records.filter((one) => !isStage(one)), stages: records.filter(isStage) };
}

const Night = z.object({ startdate: z.int(), enddate: z.int() });

/** The records of a page: nights, and stages, which have a `state`. */
export function readNights(reply: PullReply, part: PullPart): PullPage | null {
  const step = stepOf(part);
  return step !== null && step.list === null ? readStages(reply, step) : readSummaries(reply, part, step);
}

function readSummaries(reply: PullReply, part: PullPart, step: Step | null): PullPage | null {
  const page = readList(nights, reply, { ...part, page: step?.list ?? null });
  if (page === null) return null;
  const found = page.records.flatMap((record) => {
    const night = Night.safeParse(record).data;
    return night !== undefined && isIn(part.span, night) ? [{ record, night }] : [];
  });
  const times = found.map(({ night }): Step['left'][number] => [night.startdate, night.enddate]);
  const left = [...(step?.left ?? []), ...times];
  const records = found.map(({ record }) => record);
  return pageOf(records, { left, list: page.next, cursor: page.cursor ?? null });
}

// Nights outside of the span would be stored without their stages. A night that the span cuts is read whole, because its
// samples in the span are replaced.
function isIn(span: PullPart['span'], { startdate, enddate }: z.output<typeof Night>): boolean {
  return span === null || (startdate * 1000 < span.endMs && enddate * 1000 > span.startMs);
}

function readStages(reply: PullReply, { left, cursor }: Step): PullPage | null {
  const stages = z.array(z.looseObject({})).safeParse(bodyOf(reply)?.series ?? []).data;
  return stages === undefined ? null : pageOf(stages, { left: left.slice(1), list: null, cursor });
}

function pageOf(records: readonly unknown[], step: Step): PullPage {
  const next = step.list === null && step.left.length === 0 ? null : JSON.stringify(step);
  return step.cursor === null ? { records, next } : { records, next, cursor: step.cursor };
}
