// This file is generated from openapi.json by generate.ts.
import type { Provider } from './types.gen.ts';

/** The providers of the API. */
export const providers = ['devicemaker', 'activitynet', 'dexcom', 'phone', 'googlehealth', 'withings', 'whoop', 'oura', 'polar', 'suunto', 'ultrahuman', 'wahoo', 'concept2', 'file', 'intervals'] as const satisfies readonly Provider[];
