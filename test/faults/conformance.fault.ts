import t from 'tap';
import { providerNames } from '../../providers/all.ts';
import { playProvider } from '../conformance/play-provider.ts';

/** CONFORMANCE=name,name plays some providers only. */
const played = providerNames.filter((name) => (process.env.CONFORMANCE ?? name).split(',').includes(name));
t.setTimeout(0);

// A product for each: a suite lasts up to 14 hours by its clock, which begins at noon and must stay in the past.
for (const name of played) t.test(`the scenarios of ${name}`, (t) => playProvider(t, name));
