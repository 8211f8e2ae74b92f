// What Python says that scripts have to say too; `pytest tests/scripts` works it out and hands it in.
import { readFileSync } from "node:fs";

const given = process.env.PODLINE_CASES;

/** A list of cases, or null when nobody gave any. */
export const cases = given ? JSON.parse(readFileSync(given, "utf8")) : null;

/** For `test`: without cases there is nothing to compare, and the run says so. */
export const needsCases = { skip: cases ? false : "run it by `pytest tests/scripts`" };
