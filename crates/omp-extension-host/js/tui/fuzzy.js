/** Matching in which the characters of a query appear in order, but not necessarily next to each other. */

const BOUNDARY = /[\s\-_./:]/;

/** `{ matches, score }`; a lower score is a better match. */
export function fuzzyMatch(query, text) {
  const wanted = query.toLowerCase();
  const direct = scored(wanted, text.toLowerCase());
  if (direct.matches) return direct;
  // "codex52" also finds "52-codex": a name and its number are often typed the other way round.
  const swapped = /^([a-z]+)(\d+)$/.exec(wanted) ?? /^(\d+)([a-z]+)$/.exec(wanted);
  const again = swapped ? scored(swapped[2] + swapped[1], text.toLowerCase()) : direct;
  return again.matches ? { matches: true, score: again.score + 5 } : direct;
}

function scored(query, text) {
  if (query === "") return { matches: true, score: 0 };
  if (query.length > text.length) return { matches: false, score: 0 };
  let [score, last, run, at] = [0, -1, 0, 0];
  for (const character of query) {
    const found = text.indexOf(character, at);
    if (found < 0) return { matches: false, score: 0 };
    run = found === last + 1 && last >= 0 ? run + 1 : 0;
    if (run > 0) score -= 5 * run;
    else if (last >= 0) score += 2 * (found - last - 1);
    if (found === 0 || BOUNDARY.test(text[found - 1])) score -= 10;
    score += found * 0.1;
    last = found;
    at = found + 1;
  }
  return { matches: true, score: query === text ? score - 100 : score };
}

/** Items with their scores, best first. Each word of the query must match. */
export function fuzzyRank(items, query, getText) {
  const words = query.trim().split(/[\s/]+/).filter((word) => word !== "");
  const found = [];
  for (const item of items) {
    const results = words.map((word) => fuzzyMatch(word, getText(item)));
    if (results.every((result) => result.matches)) {
      found.push({ item, score: results.reduce((sum, result) => sum + result.score, 0) });
    }
  }
  return found.sort((left, right) => left.score - right.score);
}

export function fuzzyFilter(items, query, getText) {
  return query.trim() === "" ? items : fuzzyRank(items, query, getText).map((found) => found.item);
}
