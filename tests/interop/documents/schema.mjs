// docs/chat-response.schema.json, read by Ajv in its strict mode.
import { Ajv2020 } from "ajv/dist/2020.js";

import { Failure, shown } from "./failure.mjs";
import { parseJson, readText } from "./read.mjs";

export class Schema {
  // Strict mode would otherwise not take a list of types, such as ["integer", "null"].
  #ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  #id;

  constructor(file) {
    const schema = parseJson(readText(file));
    this.#id = schema.$id;
    this.#ajv.addSchema(schema);
    this.#ajv.getSchema(this.#id); // compiles it: throws if it is no good schema
  }

  checkResponse(response) {
    this.#check(response, "");
  }
  // The metadata of a document_start, too, must be of the type that the event names.
  checkEvent(event) {
    this.#check(event, "#/$defs/event");
    if (event.event !== "document_start") return;
    const name = event.type.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    this.#check(event.metadata, `#/$defs/${name}`);
  }

  #check(value, place) {
    const valid = this.#ajv.getSchema(this.#id + place);
    if (valid(value)) return;
    const errors = valid.errors.map(
      (error) => `\n  ${this.#ajv.errorsText([error])} (${error.schemaPath})`,
    );
    throw new Failure("schema", shown(value) + errors.join(""));
  }
}
