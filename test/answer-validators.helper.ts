/**
 * The validators with which clients check the structured content of answers. A client of an SDK compiles those of all tools
 * before its first call, which takes seconds. These are compiled when the first answer of their tool arrives, once for all
 * clients of a test file.
 */
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

const ajv = new AjvJsonSchemaValidator();

/** By its JSON. Ajv compiles the same object once. */
const schemas = new Map<string, JsonSchemaType>();

export const answerValidators: jsonSchemaValidator = {
  getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
    return (input) => {
      const json = JSON.stringify(schema);
      const first = schemas.get(json) ?? schema;
      schemas.set(json, first);
      return ajv.getValidator<Value>(first)(input);
    };
  },
};
