import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const Findings = z.object({
  violations: z.array(z.object({ id: z.string(), targets: z.array(z.string()) })),
  passed: z.array(z.string()),
});

/** What axe-core finds on a page. It is run in an isolated world, because the policy of the page refuses scripts. */
export async function findingsOf(page: Page): Promise<z.infer<typeof Findings>> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = { frameId: frameTree.frame.id, worldName: 'axe' };
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world);
  const known = await session.send('Runtime.evaluate', { contextId, expression: 'typeof axe' });
  if (known.result.value === 'undefined')
    await session.send('Runtime.evaluate', { contextId, expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run().then(({ violations, passes }) => ({
      violations: violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => String(target)) })),
      passed: passes.map(({ id }) => id),
    }))`,
  });
  await session.detach();
  return Findings.parse(result.value);
}
