// Asks uno-engine (npm) what the suite asks: one JSON object a line, {"layout": …} or {"move": …}; answers {"ok", "look"}.
'use strict';
const path = require('path');
const { Card, Color, Game, Value } = require(require.resolve('uno-engine', { paths: [process.argv[2]] }));
const SYMBOLS = { draw2: 'DRAW_TWO', reverse: 'REVERSE', skip: 'SKIP', wild: 'WILD', 'wild-draw4': 'WILD_DRAW_FOUR' };
const NAMES = ['Ann', 'Ben', 'Cat', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];
let game, winner, points;

function card(face, color) {
  const [first, ...rest] = face.split('-');
  const isWild = first === 'wild';
  const symbol = isWild ? face : rest.join('-');
  const value = symbol in SYMBOLS ? Value[SYMBOLS[symbol]] : Number(symbol);
  return new Card(value, isWild ? (color ? Color[color.toUpperCase()] : undefined) : Color[first.toUpperCase()]);
}

function face(one) {
  const name = Value[one.value];
  const symbol = Object.keys(SYMBOLS).find((key) => SYMBOLS[key] === name) || String(one.value);
  return one.isWildCard() ? symbol : `${Color[one.color].toLowerCase()}-${symbol}`;
}

function layOut(layout) {
  game = new Game(NAMES.slice(0, layout.hands.length));
  winner = points = null;
  game.on('end', (event) => { winner = NAMES.indexOf(event.winner.name); points = event.score; });
  game.players.forEach((player, seat) => { player.hand = layout.hands[seat].map((one) => card(one)); });
  game.deck.shuffle.cards = layout.pile.map((one) => card(one)).reverse();
  game.deck.shuffle.length = layout.pile.length;
  game.discardedCard = card(layout.discard[layout.discard.length - 1], layout.color);
  game.currentPlayer = game.getPlayer(NAMES[layout.turn]);
  if (layout.direction === 'right') game.playingDirection = 2;
}

function make(move) {
  if (move.kind === 'play') {
    const one = card(move.card, move.color);
    if (one.isWildCard()) {
      const held = game.currentPlayer.hand.find((other) => other.value === one.value);
      if (!held) throw new Error('not in the hand');
      held.color = one.color;
      game.play(held);
    } else game.play(one);
  } else if (move.kind === 'draw') game.draw();
  else if (move.kind === 'pass') game.pass();
  else game.uno(game.getPlayer(NAMES[move.seat]));
}

function look() {
  const seats = NAMES.slice(0, game.players.length);
  return {
    turn: winner === null ? seats.indexOf(game.currentPlayer.name) : null,
    direction: game.playingDirection === 1 ? 'left' : 'right',
    color: Color[game.discardedCard.color].toLowerCase(),
    top: face(game.discardedCard),
    hands: seats.map((name) => game.getPlayer(name).hand.length),
    draw_pile: game.deck.length,
    winner,
    points,
  };
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  let ok = true;
  try {
    if (asked.layout) layOut(asked.layout);
    else make(asked.move);
  } catch (error) {
    ok = false;
  }
  process.stdout.write(`${JSON.stringify({ ok, look: look() })}\n`);
});
