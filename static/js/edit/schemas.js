// What may stand where in an object, by its JSON Schema: found by a path of names, in which "[]" is any item.
export class Schemas {
  #whole;

  constructor(whole) {
    this.#whole = whole;
  }

  /** The schema of what stands at a path; null where nothing is known. */
  find(path) {
    let found = this.#whole;
    for (const step of path) {
      found = this.#follow(found);
      const named = step === "[]" ? found.items : found.properties?.[step] ?? found.additionalProperties;
      if (!named || named === true) return null;
      found = named;
    }
    return this.#follow(found);
  }

  /** Each name that may stand in the mapping at a path, with its schema. */
  listNames(path) {
    return Object.entries(this.find(path)?.properties ?? {}).map(([name, schema]) => {
      return { name, schema: this.#follow(schema), isNeeded: Boolean(this.find(path).required?.includes(name)) };
    });
  }

  #follow(schema) {
    const name = schema.$ref?.replace("#/definitions/", "");
    return name ? { ...this.#whole.definitions?.[name], typeName: name } : schema;
  }
}

/** In words: `list of Container`, `one of Recreate, RollingUpdate`. */
export function tellType(schema) {
  if (!schema) return "";
  if (schema.enum) return `one of ${schema.enum.map((one) => one || '""').join(", ")}`;
  if (schema.const) return schema.const;
  const types = [schema.type ?? "anything"].flat().filter((one) => one !== "null");
  if (schema.items) return `list of ${nameOf(schema.items)}`;
  if (schema.typeName) return schema.typeName;
  if (types[0] === "object" && typeof schema.additionalProperties === "object") {
    return `map of ${nameOf(schema.additionalProperties)}`;
  }
  return types.join(" or ");
}

function nameOf(schema) {
  return schema.$ref?.replace("#/definitions/", "") ?? tellType(schema);
}

/** What can be chosen as a value there. */
export function listValues(schema) {
  if (schema?.enum) return schema.enum.filter(Boolean);
  if (schema?.const) return [schema.const];
  return schema?.type === "boolean" ? ["true", "false"] : [];
}
