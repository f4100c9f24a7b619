/** Registers how to stop something that was started. Stops run in reverse order. */
export type Started = (stop: () => Promise<unknown>) => void;
