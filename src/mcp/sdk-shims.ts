/**
 * What the SDK takes from its surroundings; `npm run build` puts this in the place of the SDK's own choice. That one
 * loads a JSON Schema compiler with every start, for answers to forms that ask nothing: this one only interprets.
 */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

const surroundings = process;

export { surroundings as process };
