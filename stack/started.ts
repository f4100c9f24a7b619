/** Who is told that something was started, so that it can be stopped in the reverse order. */
export type Started = (stop: () => Promise<unknown>) => void;
