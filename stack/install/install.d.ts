/** See install.js. */
export function addPackage(root: string, name: string): Promise<void>;
