import t from 'tap';
import { playProvider } from '../play-provider.ts';

t.setTimeout(600_000);
t.test('the scenarios of polar', (t) => playProvider(t, 'polar'));
