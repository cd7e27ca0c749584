// What a `.mat` file says about a game's dice: a tag `Dice N` for game N with version, commitment, the bot's half
// (- while the game goes on) and the player's half, which comes last because it may have spaces.

export const DICE_TAG = "Dice";

export function diceTag({ dice, commitment, bot, player, result }) {
  return `${dice} ${commitment} ${result ? bot : "-"} ${player}`;
}
