/**
 * Replaces `@modelcontextprotocol/server/_shims` at build time. The SDK's own shims load a JSON Schema compiler at every
 * start, to validate replies to forms. Our forms are empty, so that the smaller interpreting validator is enough.
 */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

const nodeProcess = process;

export { nodeProcess as process };
