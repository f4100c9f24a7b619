import { roleOfNode } from './roles.ts';

/*
 * Requests name their action, so that the bus can permit each one: `MOL-<namespace>.REQ.<node>.<service>.<action>`.
 * Answers name the role of the caller: `MOL-<namespace>.RES.<role>.<node>`. All other packets have Moleculer's subjects.
 */

/** The first token of all subjects of a namespace. */
export function prefixOf(namespace: string): string {
  return namespace === '' ? 'MOL' : `MOL-${namespace}`;
}

/** The subject of a request to a node. `action` is a full name, or `service.*`, or `>` for all. */
export function requestSubject(prefix: string, nodeID: string, action: string): string {
  return `${prefix}.REQ.${nodeID}.${action}`;
}

/** The subject of the answers to a node. */
export function answerSubject(prefix: string, nodeID: string): string {
  return `${prefix}.RES.${roleOfNode(nodeID)}.${nodeID}`;
}

/** The action of a received request, from its subject. */
export function actionOfSubject(subject: string): string {
  return subject.split('.').slice(3).join('.');
}
