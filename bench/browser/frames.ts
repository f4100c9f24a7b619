import type { Page } from 'playwright-core';
import { z } from 'zod';

/** How a page moves while something is done with it. */
export interface Frames {
  /** The share of frames that follow the one before within 17 ms. */
  readonly inTime: number;
  readonly frames: number;
  /** The longest task of the main thread. */
  readonly longestTaskMs: number;
}

const inTimeMs = 17;
const categories = ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'];

// The times of frames are those of the browser's clock of frames, which a late frame passes over.
const record = `globalThis.frameTimes = [];
  globalThis.isRecorded = true;
  requestAnimationFrame(function note(at) {
    frameTimes.push(at);
    if (isRecorded) requestAnimationFrame(note);
  })`;
const recorded = `(globalThis.isRecorded = false, frameTimes)`;

const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string().optional(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      args: z.looseObject({ name: z.unknown() }).partial().optional(),
    }),
  ),
});

/** Records the frames of a page, and a trace of its tasks, during some work. */
export async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<Frames> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await page.evaluate(record);
  await browser.startTracing(page, { categories });
  await work();
  const times = z.array(z.number()).parse(await page.evaluate(recorded));
  const trace = Trace.parse(JSON.parse(String(await browser.stopTracing())));
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return {
    inTime: gaps.filter((gap) => gap <= inTimeMs).length / gaps.length,
    frames: gaps.length,
    longestTaskMs: longestTaskIn(trace),
  };
}

function longestTaskIn({ traceEvents }: z.infer<typeof Trace>): number {
  const threadOf = ({ pid, tid }: { readonly pid: number; readonly tid: number }) => `${pid} ${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter(
    (one) => one.name?.endsWith('RunTask') === true && mains.has(threadOf(one)),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of the page');
  return tasks.reduce((longest, { dur = 0 }) => Math.max(longest, dur / 1000), 0);
}

/** Scrolls a page to its end and back, a step in each frame. */
export async function scrollThrough(page: Page, steps: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const most = document.documentElement.scrollHeight - innerHeight;
    const scroll = (step) => {
      scrollTo(0, most * (1 - Math.abs(1 - (2 * step) / ${steps})));
      if (step < ${steps}) requestAnimationFrame(() => scroll(step + 1));
      else resolve(undefined);
    };
    requestAnimationFrame(() => scroll(0));
  })`);
}
