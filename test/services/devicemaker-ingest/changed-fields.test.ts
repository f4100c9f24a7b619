import t from 'tap';
import { startApi } from '../../support/api.ts';
import { checkChangedItems } from './push-changed-items.ts';

/** A short `npm run test:faults -- changed-fields`. Each of the 15 changes occurs in each type: 4 is no divisor of 15. */
await checkChangedItems(t, await startApi(t), 4);
