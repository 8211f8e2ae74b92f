// Finds a word of a text by how it begins. A word begins after whatever is no letter and no digit, and also inside
// of Kubernetes' own words: `OOMKilled` has `killed`, `livenessProbe` has `probe`, `room` has no `oom`.
const BEGINNING = /(?<![\p{L}\p{N}])[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu}|(?<=\p{Lu})\p{Lu}(?=\p{Ll})/gu;

const BEFORE = /^[^\p{L}\p{N}]+/u;

/** Says of a word, in small letters, whether one of the text's begins so. */
export function makeFinder(text) {
  const beginnings = Array.from(text.matchAll(BEGINNING), ({ index }) => index);
  const small = text.toLowerCase();
  return (word) => {
    const asked = word.replace(BEFORE, "");
    return !asked || beginnings.some((at) => small.startsWith(asked, at));
  };
}
