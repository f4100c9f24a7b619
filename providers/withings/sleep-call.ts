import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { PullPage, PullPart, PullPass, PullReply } from '../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../domain/time/time.ts';
import { bodyOf, type ListCall, listRequest, readList, timeSpan } from './calls.ts';
import { dataFieldsOf } from './fields.ts';

const path = '/v2/sleep';
const nights: ListCall = {
  path,
  form: { action: 'getsummary', data_fields: dataFieldsOf('sleep') },
  list: 'series',
  spansBy: 'days',
};
const stagesForm = { action: 'get', data_fields: dataFieldsOf('stages') };

/** The nights whose stages are not read yet, and the page of the list of nights, null after its last page. */
const Step = z.object({
  left: z.array(z.tuple([z.int(), z.int()])),
  list: z.string().nullable(),
  cursor: z.string().nullable(),
});
type Step = z.output<typeof Step>;

const first: Step = { left: [], list: '', cursor: null };
const stepOf = ({ page }: PullPart): Step => Step.safeParse(jsonOrNull(page ?? '')).data ?? first;

/** Sleep is read in two steps that are pages of one pass: the nights, then the stages of each night. */
export const sleepPass: PullPass = {
  request(_settings, part) {
    const { list, left } = stepOf(part);
    const [night] = left;
    if (list !== null || night === undefined) return listRequest(nights, { ...part, page: list });
    const [startMs, endMs] = [night[0] * 1000, night[1] * 1000];
    // A call answers the first 24 hours of its window.
    const window = timeSpan({ startMs, endMs: Math.min(endMs, startMs + dayMs) });
    return { path, form: { ...stagesForm, ...window } };
  },
  read(reply, part) {
    const step = stepOf(part);
    return step.list === null ? readStages(reply, step) : readNights(reply, part, step);
  },
};

const Night = z.object({ startdate: z.int(), enddate: z.int() });

function readNights(reply: PullReply, part: PullPart, step: Step): PullPage | null {
  const page = readList(nights, reply, { ...part, page: step.list });
  if (page === null) return null;
  const found = page.records.flatMap((record) => {
    const night = Night.safeParse(record).data;
    return night !== undefined && isIn(part.span, night) ? [{ record, night }] : [];
  });
  const times = found.map(({ night }): Step['left'][number] => [night.startdate, night.enddate]);
  const records = found.map(({ record }) => record);
  return pageOf(records, { left: [...step.left, ...times], list: page.next, cursor: page.cursor ?? null });
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
