// Offers only the built-in players that can play the chosen game. Without it all are offered, and the manager checks.
(() => {
  const game = document.getElementById("game");
  const offer = () => {
    for (const field of document.querySelectorAll("[data-games]")) {
      const games = field.dataset.games.split(" ").filter(Boolean);
      field.hidden = games.length > 0 && !games.includes(game.value);
      for (const input of field.querySelectorAll("input")) input.disabled = field.hidden;
    }
  };
  game.addEventListener("change", offer);
  offer();
})();
