import { z } from 'zod';
import type { JobKind } from '../../../mixins/jobs/job-queue.ts';

const Payload = z.object({ destination_id: z.uuid() });

/** The job of each destination. */
export const runKind: JobKind<z.infer<typeof Payload>> = { name: 'destinations.run', payload: Payload };
