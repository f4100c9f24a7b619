import { z } from 'zod';

/** An item that was set aside: its list, its id, the field that is wrong and why, never its value. */
export const UploadProblem = z.object({
  item: z.string(),
  id: z.string().nullable(),
  field: z.string(),
  reason: z.string(),
});
