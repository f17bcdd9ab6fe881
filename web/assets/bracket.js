// The arrow keys move the focus in a bracket: up and down in a stage, left and right to the tie before and after.
document.addEventListener("keydown", (e) => {
  const from = e.target.closest?.("[data-bracket] a.pairing");
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[e.key];
  if (!from || !step || e.ctrlKey || e.altKey || e.metaKey) return;
  const stages = [...from.closest("[data-bracket]").querySelectorAll(".stage")].map((stage) => [...stage.querySelectorAll(".pairing")]);
  const stage = stages.findIndex((ties) => ties.includes(from)), place = stages[stage].indexOf(from);
  const aim = step[0] ? Math.floor(place * 2 ** -step[0]) : place + step[1];
  const ties = stages[stage + step[0]] || [];
  const near = ties.map((tie, i) => [Math.abs(i - aim), tie]).filter(([far, tie]) => tie.href && (step[0] || (ties.indexOf(tie) - place) * step[1] > 0));
  near.sort((a, b) => a[0] - b[0]);
  if (near.length) near[0][1].focus();
  e.preventDefault();
});
