// The colours that somebody chose, before anything is drawn.
const theme = localStorage.getItem("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
document.documentElement.classList.add("js");
