import type { DocumentKind } from './documents.ts';
import { healthAutoExport } from './health-auto-export/document.ts';

/** The documents that are recognised, in the order in which they are tried. */
export const documentKinds: readonly DocumentKind[] = [healthAutoExport];
