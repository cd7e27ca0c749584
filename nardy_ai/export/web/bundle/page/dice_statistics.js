// What was thrown so far, by player.

/** Counts of a list of throws: { throws, faces (of 1 to 6), doubles, mean (per die; 0 without throws) }. */
export function counted(throws) {
  const faces = Array(6).fill(0);
  for (const die of throws.flat()) faces[die - 1]++;
  const total = faces.reduce((sum, count, i) => sum + count * (i + 1), 0);
  return {
    throws: throws.length,
    faces,
    doubles: throws.filter(([a, b]) => a === b).length,
    mean: throws.length ? total / (2 * throws.length) : 0,
  };
}

/** The throws of the turns of a match, of each player; roll-offs count where their dice were played. */
export function throwsByPlayer(games, throwsOf) {
  const found = [[], []];
  for (const game of games) {
    const { starter, turns } = throwsOf(game);
    turns.forEach((dice, turn) => found[(starter + turn) % 2].push(dice));
  }
  return found;
}
