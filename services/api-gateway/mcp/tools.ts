import { changesTool } from './changes-tool.ts';
import { eventTools } from './event-tools.ts';
import { insightTools } from './insight-tools.ts';
import { scoresTool } from './scores-tool.ts';
import { summaryTools } from './summary-tools.ts';
import { timeSeriesTool } from './time-series-tool.ts';
import type { Tool } from './tool.ts';
import { userTools } from './user-tools.ts';

/** All tools of the MCP server. */
export const tools: readonly Tool[] = [
  ...userTools,
  ...summaryTools,
  scoresTool,
  ...insightTools,
  ...eventTools,
  timeSeriesTool,
  changesTool,
];
