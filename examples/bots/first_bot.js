// A bot in JavaScript: the first legal play, in every game (docs/bot-protocol.md).
"use strict";

let turn = "";
let plays = [];

function answer(line) {
  const [word, ...words] = line.split(" ");
  const rest = words.join(" ");
  if (word === "nardy") console.log("nardy 1 first play in JavaScript");
  else if (word === "ready") console.log("ready");
  else if (word === "turn") [turn, plays] = [rest, []];
  else if (word === "play") plays.push(rest);
  else if (word === "go") console.log(`play ${turn} ${plays[0]}`);
  else if (word === "quit") process.exit(0);
}

require("readline").createInterface({ input: process.stdin }).on("line", answer);
