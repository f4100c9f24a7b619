import t from 'tap';
import { checkChangedItems } from '../services/devicemaker-ingest/push-changed-items.ts';
import { startApi } from '../support/api.ts';

t.setTimeout(0);

await checkChangedItems(t, await startApi(t), 1);
