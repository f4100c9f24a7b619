import t from 'tap';
import { providerNames } from '../../providers/all.ts';
import { playProviders } from '../conformance/play-providers.ts';

/** CONFORMANCE=name plays one provider only. */
const played = providerNames.filter((name) => (process.env.CONFORMANCE ?? name) === name);
t.setTimeout(0);

t.test('the scenarios of all providers', (t) => playProviders(t, played));
