/** The clock of the providers. It may run fast, start in the past, or stand still until it is advanced. */
export interface Clock {
  nowMs(): number;
  /** Runs a task when the clock shows `ms` or more, the earliest task first. A task must not throw. */
  at(ms: number, task: Task): void;
  /** Advances the clock and runs the tasks that become due one after another. */
  advance(byMs: number): Promise<void>;
  /** Milliseconds of the wall clock in which this clock advances by `ms` at its current speed. */
  wallMsFor(ms: number): number;
  stop(): void;
}

/** A task that is due at an instant. */
type Task = () => Promise<void> | void;

/** Options of a clock. With speed 0 only `advance` moves it. `wall` is the machine's clock. */
export interface ClockOptions {
  readonly startMs: number;
  readonly speed: number;
  readonly wall?: () => number;
}

/** Providers send new data each quarter of an hour. */
export const sliceMs = 900_000;

/** The last full quarter of an hour. */
export function quarterOf(ms: number): number {
  return Math.floor(ms / sliceMs) * sliceMs;
}

const longestSleepMs = 60_000;

/**
 * A clock that runs `speed` times as fast as the wall clock until both show the same time, and then at normal speed,
 * because receivers refuse data of more than a day in the future.
 */
export function startClock({ startMs, speed, wall = Date.now }: ClockOptions): Clock {
  let anchor = { shows: startMs, wall: wall() };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const waiting: { ms: number; task: Task }[] = [];
  const nowMs = () => shownAt(anchor, speed, wall());

  const takeDue = () => {
    const next = waiting[0];
    return next !== undefined && next.ms <= nowMs() ? waiting.shift() : undefined;
  };
  const arm = () => {
    clearTimeout(timer);
    const next = waiting[0];
    if (next === undefined || speed === 0 || stopped) return;
    const ms = Math.min(longestSleepMs, Math.max(1, wallMsFor(next.ms - nowMs())));
    timer = setTimeout(fire, ms).unref();
  };
  const fire = () => {
    for (let due = takeDue(); due !== undefined; due = takeDue()) void due.task();
    arm();
  };
  const wallMsFor = (ms: number) => (speed > 0 && nowMs() < wall() ? ms / speed : ms);

  return {
    nowMs,
    wallMsFor,
    at(ms, task) {
      if (stopped) return;
      const index = waiting.findIndex((one) => one.ms > ms);
      waiting.splice(index === -1 ? waiting.length : index, 0, { ms, task });
      arm();
    },
    async advance(byMs) {
      const untilMs = nowMs() + byMs;
      for (let next = waiting[0]; next !== undefined && next.ms <= untilMs && !stopped; next = waiting[0]) {
        waiting.shift();
        anchor = { shows: Math.max(nowMs(), next.ms), wall: wall() };
        await next.task();
      }
      anchor = { shows: Math.max(nowMs(), untilMs), wall: wall() };
      arm();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      waiting.length = 0;
    },
  };
}

function shownAt(anchor: { shows: number; wall: number }, speed: number, wallMs: number): number {
  const passed = wallMs - anchor.wall;
  if (speed === 0) return anchor.shows;
  if (anchor.shows >= anchor.wall) return anchor.shows + passed;
  return Math.max(anchor.shows, Math.min(anchor.shows + passed * speed, wallMs));
}
